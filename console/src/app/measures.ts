// Heights (px) of the bars at the top; what sticks below them asks here.
export const headerHeight = 56;
export const bannerHeight = 36;
