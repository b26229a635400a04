-- Reports name the grouping of their ranking and files (docs/rules/reports.md#fields). `none` is what they did before.
update report set query = query || '{"groupBy": "none"}' where not query ? 'groupBy';
