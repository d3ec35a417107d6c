// What is looked at and from where: axes, zoom, turn; and where that puts each item on the screen.

const state = {
  x: 0, y: meta.shown > 1 ? 1 : SPREAD, z: SPREAD, colour: "none", draw: "points", equal: true, names: meta.items <= 60, lines: 30,
  hidden: new Set(), pinned: -1, over: "shown",
};
const is3d = () => state.z !== SPREAD;
/** The axes of the figure, without the spread. */
const shownAxes = () => [...new Set([state.x, state.y, state.z])].filter((a) => a !== SPREAD);

/** Space around the plane for the marks of its axes. */
const margins = (width) => (width < 560 ? { left: 66, right: 46, top: 12, bottom: 44 } : { left: 70, right: 52, top: 14, bottom: 46 });
const START_TURN = turnBy(turnBy([1, 0, 0, 0, 1, 0, 0, 0, 1], 0, 0.62), -0.38, 0);

const view = {
  // The coordinate in the middle of the figure, pixels per unit, and the turn as a matrix by rows.
  centre: [0, 0], scale: [1, 1], turn: START_TURN, middle: [0, 0, 0], extents: [[0, 0], [0, 0], [0, 0]],
  xs: new Float32Array(meta.items), ys: new Float32Array(meta.items), depths: new Float32Array(0),
  box: { left: 0, top: 0, width: 1, height: 1 },
};

/** `turn` after turning right by one angle and down by another. */
function turnBy(turn, down, right) {
  const [c, s, d, t] = [Math.cos(right), Math.sin(right), Math.cos(down), Math.sin(down)];
  const by = [c, 0, s, t * s, d, -t * c, -d * s, t, d * c];
  const product = new Array(9);
  for (let r = 0; r < 3; r++) {
    for (let k = 0; k < 3; k++) product[3 * r + k] = by[3 * r] * turn[k] + by[3 * r + 1] * turn[3 + k] + by[3 * r + 2] * turn[6 + k];
  }
  return product;
}

const hides = (item) => state.hidden.size > 0 && state.hidden.has(paint.tints[item]);

/** Measures the figure, whose size may have changed. */
function frame(width, height) {
  const margin = is3d() ? { left: 0, right: 0, top: 0, bottom: 0 } : margins(width);
  view.box = { left: margin.left, top: margin.top, width: Math.max(40, width - margin.left - margin.right), height: Math.max(40, height - margin.top - margin.bottom) };
}

/** Least and greatest of what is shown along each axis of the figure. */
const shownExtents = () => groupExtents(drawnAxes().map((a) => span(axis(a), hides)));

/** The height at which a plane with equal scales leaves little room, as far as the screen has it. */
function fittingHeight(width, most) {
  if (!meta.shown || is3d() || !state.equal || state.y === SPREAD) return most;
  const margin = margins(width);
  const [across, up] = shownExtents().map(([low, high]) => high - low);
  const wanted = (up / (across || 1)) * (width - margin.left - margin.right - 56) + 56 + margin.top + margin.bottom;
  return Math.round(Math.min(most, Math.max(300, wanted)));
}

/** Shows all items that are not hidden. */
function showAll() {
  view.extents = shownExtents();
  const middle = view.extents.map(([low, high]) => (low + high) / 2);
  const lengths = view.extents.map(([low, high]) => high - low);
  const { width, height } = view.box;
  if (is3d()) {
    const across = Math.hypot(...lengths) || 1;
    view.middle = middle;
    view.centre = [0, 0];
    view.scale = [1, 1].map(() => (1.15 * Math.min(width, height)) / across);
    return;
  }
  const most = Math.max(...lengths) || 1;
  const room = [meta.groups.length ? 84 : 56, 56];
  const fit = [width, height].map((pixels, i) => (pixels - room[i]) / (lengths[i] || most));
  const least = Math.min(...fit);
  view.centre = middle;
  view.scale = state.equal && state.y !== SPREAD ? [least, least] : fit;
}

/** Where a place lies on the screen, and how near it is. */
function placeOf(point) {
  const { centre, scale, box } = view;
  const [u, v, w] = is3d() ? turned(point) : [point[0], point[1], 0];
  return [box.left + box.width / 2 + (u - centre[0]) * scale[0], box.top + box.height / 2 - (v - centre[1]) * scale[1], w];
}

function turned(point) {
  const [a, b, c] = point.map((value, i) => value - view.middle[i]);
  const t = view.turn;
  return [t[0] * a + t[1] * b + t[2] * c, t[3] * a + t[4] * b + t[5] * c, t[6] * a + t[7] * b + t[8] * c];
}

/** Puts every item on the screen: fills `view.xs`, `view.ys` and, with depth, `view.depths`. */
function project() {
  const { centre, scale, box, xs, ys } = view;
  const [left, top] = [box.left + box.width / 2 - centre[0] * scale[0], box.top + box.height / 2 + centre[1] * scale[1]];
  const [across, up] = [axis(state.x), axis(state.y)];
  if (!is3d()) {
    for (let i = 0; i < xs.length; i++) {
      xs[i] = left + across[i] * scale[0];
      ys[i] = top - up[i] * scale[1];
    }
    return;
  }
  const [deep, t, [m0, m1, m2]] = [axis(state.z), view.turn, view.middle];
  if (view.depths.length !== xs.length) view.depths = new Float32Array(xs.length);
  for (let i = 0; i < xs.length; i++) {
    const [a, b, c] = [across[i] - m0, up[i] - m1, deep[i] - m2];
    xs[i] = left + (t[0] * a + t[1] * b + t[2] * c) * scale[0];
    ys[i] = top - (t[3] * a + t[4] * b + t[5] * c) * scale[1];
    view.depths[i] = t[6] * a + t[7] * b + t[8] * c;
  }
}

/** Moves what is shown by pixels. */
function pan(right, down) {
  view.centre = [view.centre[0] - right / view.scale[0], view.centre[1] + down / view.scale[1]];
}

/** Enlarges by a factor; the place under a pixel stays where it is. */
function zoom(factor, x = view.box.left + view.box.width / 2, y = view.box.top + view.box.height / 2) {
  const { box, centre, scale } = view;
  const [right, down] = [x - box.left - box.width / 2, y - box.top - box.height / 2];
  view.scale = scale.map((old) => old * factor);
  const kept = 1 - 1 / factor;
  view.centre = [centre[0] + (right / scale[0]) * kept, centre[1] - (down / scale[1]) * kept];
}

/** Puts an item into the middle, unless it is well inside. */
function bringIn(item) {
  const { box, xs, ys } = view;
  const [right, down] = [xs[item] - box.left - box.width / 2, ys[item] - box.top - box.height / 2];
  if (Math.abs(right) > 0.42 * box.width || Math.abs(down) > 0.42 * box.height) pan(-right, -down);
}

/** The item nearest to a pixel among those not hidden, within `reach` pixels; -1 if there is none. */
function nearest(x, y, reach) {
  const { xs, ys, depths } = view;
  let [found, least] = [-1, reach * reach];
  for (let i = 0; i < xs.length; i++) {
    const [right, down] = [xs[i] - x, ys[i] - y];
    const distance = right * right + down * down;
    if (distance > least || hides(i)) continue;
    if (distance < least || (is3d() && found >= 0 && depths[i] > depths[found])) [found, least] = [i, distance];
  }
  return found;
}
