// The figure of the items: grid, axes, items, and above them what is pointed at or looked for.

let paint = { tints: new Uint8Array(meta.items), styles: [] };
const pointed = { item: -1, found: [] };

/** "axis 1 (12.3 % of the trace)" */
function axisName(a, of = ` of ${meta.wholes[0].name}`) {
  if (a === SPREAD) return "spread at random, to tell items apart";
  const sum = meta.wholes[0].sum;
  return `axis ${a + 1}${sum ? ` (${percent(meta.eigenvalues[a] / sum)}${of})` : ""}`;
}

/** Lines at round coordinates with their labels, and the two axes through the centre. */
function drawPlane({ context, width, height }) {
  const { box, centre, scale } = view;
  const [right, bottom] = [box.left + box.width, box.top + box.height];
  const unit = meta.scale;
  const range = (at, pixels) => [-1, 1].map((side) => (centre[at] + (side * pixels) / 2 / scale[at]) * unit);
  for (const { value, label } of marks(...range(0, box.width), box.width / 75)) {
    const x = crisp(placeOf([value / unit, 0])[0]);
    line(context, x, box.top, x, bottom, value === 0 ? inks.axis : inks.grid);
    words(context, label, x, bottom + 14, { align: "center" });
  }
  const isSpread = state.y === SPREAD;
  for (const { value, label } of isSpread ? [] : marks(...range(1, box.height), box.height / 70)) {
    const y = crisp(placeOf([0, value / unit])[1]);
    line(context, box.left, y, right, y, value === 0 ? inks.axis : inks.grid);
    words(context, label, box.left - 8, y, { align: "right" });
  }
  words(context, axisName(state.x), box.left + box.width / 2, height - 12, { align: "center", ink: inks.text });
  words(context, axisName(state.y), 13, box.top + box.height / 2, { align: "center", ink: inks.text, turn: -Math.PI / 2 });
}

/** The box around the items, and the three axes through the centre. */
function drawBox({ context }) {
  const ends = view.extents;
  const corner = (c) => placeOf(ends.map((end, i) => end[(c >> i) & 1]));
  for (let c = 0; c < 8; c++) {
    for (let i = 0; i < 3; i++) {
      if ((c >> i) & 1) continue;
      const [from, to] = [corner(c), corner(c | (1 << i))];
      line(context, from[0], from[1], to[0], to[1], inks.grid);
    }
  }
  [state.x, state.y, state.z].forEach((a, i) => {
    const at = (value) => placeOf(ends.map((end, j) => (j === i ? value : Math.min(end[1], Math.max(end[0], 0)))));
    const [from, to] = [at(ends[i][0]), at(ends[i][1])];
    line(context, from[0], from[1], to[0], to[1], inks.axis, 1.2);
  });
}

/** Names of the three axes at their ends, above the items; says where they are. */
function nameAxes({ context, width, height }) {
  const ends = view.extents;
  return [state.x, state.y, state.z].map((a, i) => {
    const tip = placeOf(ends.map((end, j) => (j === i ? end[1] : Math.min(end[1], Math.max(end[0], 0)))));
    const x = Math.min(width - 80, Math.max(80, tip[0]));
    const y = Math.min(height - 14, Math.max(14, tip[1] - 10));
    words(context, axisName(a), x, y, { align: "center", ink: inks.text, halo: true });
    const half = context.measureText(axisName(a)).width / 2;
    return [x - half, y - 7, x + half, y + 7];
  });
}

/** Most items in view that are named. */
const MOST_NAMES = 400;

/** Names of the items in view, each where it covers no other name; some remain without. */
function nameItems({ context, width, height }) {
  const inView = [];
  for (let i = 0; i < view.xs.length && inView.length <= MOST_NAMES; i++) {
    const [x, y] = [view.xs[i], view.ys[i]];
    if (x > 0 && y > 0 && x < width && y < height && !hides(i)) inView.push(i);
  }
  if (inView.length > MOST_NAMES) return;
  const away = radiusFor(meta.items) + 3;
  const taken = [...(view.named ?? [])];
  for (const i of inView) taken.push([view.xs[i] - 4, view.ys[i] - 4, view.xs[i] + 4, view.ys[i] + 4]);
  const { box } = view;
  const isFree = ([left, top, right, bottom]) => left > box.left && right < box.left + box.width && top > box.top && bottom < box.top + box.height
    && !taken.some((other) => left < other[2] && right > other[0] && top < other[3] && bottom > other[1]);
  for (const item of inView) {
    const text = clipped(ids[item].trim(), 28);
    const [x, y, long] = [view.xs[item], view.ys[item], context.measureText(text).width];
    const places = [[x + away, y], [x - away - long, y], [x - long / 2, y - away - 7], [x - long / 2, y + away + 7]];
    const place = places.find(([left, middle]) => isFree([left, middle - 6, left + long, middle + 6]));
    if (!place || !text) continue;
    taken.push([place[0], place[1] - 6, place[0] + long, place[1] + 6]);
    words(context, text, ...place, { ink: inks.text, halo: true });
  }
}

/** Draws the figure anew. */
function drawScatter() {
  const drawing = sheet(element("scatter"));
  if (!meta.shown || !meta.items) {
    words(drawing.context, meta.items ? "There is no axis to show." : "There is no item to show.", drawing.width / 2, drawing.height / 2, { align: "center" });
    return finish(0);
  }
  frame(drawing.width, drawing.height);
  if (!view.isSet) {
    showAll();
    view.isSet = true;
  }
  project();
  const { context } = drawing;
  const draws = state.draw === "density" ? drawDensity : drawMarks;
  if (is3d()) drawBox(drawing);
  else {
    drawPlane(drawing);
    context.save();
    context.beginPath();
    context.rect(view.box.left, view.box.top, view.box.width, view.box.height);
    context.clip();
  }
  const drawn = draws(drawing);
  view.named = is3d() ? nameAxes(drawing) : [];
  drawGroups(drawing);
  if (state.names && state.draw === "points") nameItems(drawing);
  if (!is3d()) {
    context.restore();
    if (state.draw === "density") redrawOrigin(context);
  }
  finish(drawn);
}

/** The axes through the centre above a density, which would cover them. */
function redrawOrigin(context) {
  const { box } = view;
  const [x, y] = placeOf([0, 0]);
  context.globalAlpha = 0.35;
  if (x > box.left && x < box.left + box.width) line(context, crisp(x), box.top, crisp(x), box.top + box.height, inks.text);
  if (state.y !== SPREAD && y > box.top && y < box.top + box.height) line(context, box.left, crisp(y), box.left + box.width, crisp(y), inks.text);
  context.globalAlpha = 1;
}

/** How new items are told from others, in words. */
const freshText = () => (meta.fresh && state.draw === "points" && meta.items < MANY ? " Outlined: new items." : "");

/** Says, also to programs that read the page, what was drawn. */
function finish(drawn) {
  drawOverlay();
  root.dataset.points = drawn;
  const hidden = state.hidden.size ? " of those shown" : "";
  const as = state.draw === "density" ? `as a density, the stronger the more in a square of ${CELL} pixels (logarithmic)` : "as points";
  const hint = is3d() ? "Drag or arrow keys turn, Shift moves" : "Drag or arrow keys move";
  const text = `${thousands(drawn)} item${drawn === 1 ? "" : "s"}${hidden} in view, ${as}.${freshText()}${groupText()} ${hint}; the wheel zooms once the figure is clicked, or with Ctrl; + \u2212 0 zoom.`;
  if (element("caption").textContent !== text) element("caption").textContent = text;
}

/** Rings around the items that are found, pinned or pointed at. */
function drawOverlay() {
  const { context, width, height } = sheet(element("overlay"));
  const { xs, ys } = view;
  const reach = radiusFor(meta.items) + 3.5;
  const ring = (item, r, ink, thick) => {
    const [x, y] = [xs[item], ys[item]];
    if (x < 0 || y < 0 || x > width || y > height) return;
    for (const [colour, wide] of [[inks.page, thick + 2.5], [ink, thick]]) {
      context.strokeStyle = colour;
      context.lineWidth = wide;
      context.beginPath();
      context.arc(x, y, r, 0, 7);
      context.stroke();
    }
  };
  for (const item of pointed.found.slice(0, 2000)) if (!hides(item)) ring(item, reach, inks.text, 1);
  if (state.pinned >= 0) {
    ring(state.pinned, reach + 1.5, inks.text, 2);
    const isNamed = state.names && state.draw === "points";
    if (!isNamed) words(context, clipped(ids[state.pinned]), xs[state.pinned] + reach + 7, ys[state.pinned], { ink: inks.text, halo: true, bold: true });
  }
  if (pointed.item >= 0) ring(pointed.item, reach, inks.text, 1.6);
}

const clipped = (text, most = 40) => (text.length > most ? `${text.slice(0, most - 1)}\u2026` : text);
