# The product in one image: API, console, device gateway and jobs. It needs a PostgreSQL (DATABASE_URL); see docs/operations.md.
FROM node:26-trixie-slim AS manifests
WORKDIR /app
COPY package.json package-lock.json ./
COPY contract/package.json contract/
COPY server/package.json server/
COPY console/package.json console/
COPY simulator/package.json simulator/
COPY e2e/package.json e2e/

FROM manifests AS console
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build

# The embedded PostgreSQL and the pinned Node are optional packages: the image needs neither.
FROM manifests AS dependencies
RUN npm ci --ignore-scripts --no-audit --no-fund --omit=dev --omit=optional --workspace=server --workspace=simulator

FROM node:26-trixie-slim
ENV NODE_ENV=production DATA_DIR=/data
WORKDIR /app
RUN install --directory --owner=node --group=node --mode=0700 /data
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json LICENSE ./
COPY contract contract
COPY server server
COPY simulator simulator
COPY --from=console /app/console/dist console/dist
USER node
VOLUME /data
EXPOSE 8080 1883
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 8080}/health/ready`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "server/src/main.ts"]
