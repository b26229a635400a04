// Heights (px) of the top bars, for sticky elements below them.
export const headerHeight = 56;
export const bannerHeight = 36;
