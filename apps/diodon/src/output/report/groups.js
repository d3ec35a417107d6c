// Lines of a table among the items: variables and instruments as arrows from the centre, columns of counts as marks.

const groupIds = (g) => once(`group${g}ids`, () => JSON.parse(element(`group${g}ids`).textContent));

/** Coordinates of the lines of a group along an axis, in units of `meta.groups[g].unit`. */
function groupAxis(g, a) {
  return once(`group${g}axis${a}`, () => (a === SPREAD
    ? new Float32Array(meta.groups[g].shown)
    : new Float32Array(bytesOf(`group${g}axis${a}`).buffer)));
}

const drawnAxes = () => (is3d() ? [state.x, state.y, state.z] : [state.x, state.y]);

/** Squared length of a line on the axes of the figure. */
const lineLength2 = (g, line) => drawnAxes().reduce((sum, a) => sum + groupAxis(g, a)[line] ** 2, 0);

/** The longest lines of a group on the axes of the figure, as many as are asked for. */
function linesOf(g) {
  const wanted = Math.min(state.lines, meta.groups[g].shown);
  if (!wanted) return [];
  const lengths = Float64Array.from(groupIds(g), (_, line) => lineLength2(g, line));
  return Array.from(lengths, (_, line) => line).sort((a, b) => lengths[b] - lengths[a]).slice(0, wanted);
}

/** What arrows are multiplied with, so that the longest is nearly as long as the farthest item is away. */
function stretch(g, lines) {
  if (!meta.groups[g].arrows) return 1;
  const longest = Math.sqrt(Math.max(0, ...lines.map((line) => lineLength2(g, line))));
  const farthest = Math.max(0, ...drawnAxes().map((a) => (a === SPREAD ? 0 : Math.max(...span(axis(a)).map(Math.abs)))));
  return longest > 0 ? (0.9 * (farthest || 1)) / longest : 1;
}

/** Groups with the ends of the lines that are drawn, in the coordinates of the figure. */
function groupEnds() {
  return meta.groups.map((group, g) => {
    const lines = linesOf(g);
    const factor = stretch(g, lines);
    return { group, g, ends: lines.map((line) => ({ line, point: drawnAxes().map((a) => groupAxis(g, a)[line] * factor) })) };
  });
}

/** What arrows and marks take of the figure, beside the items: least and greatest along each of its axes. */
function groupExtents(extents) {
  for (const { point } of groupEnds().flatMap(({ ends }) => ends)) {
    point.forEach((value, i) => (extents[i] = [Math.min(extents[i][0], value), Math.max(extents[i][1], value)]));
  }
  return extents;
}

const groupInk = (g) => (g === 0 ? inks.minus : inks.third);

function drawArrow(context, [x0, y0], [x1, y1], ink) {
  const long = Math.hypot(x1 - x0, y1 - y0);
  if (long < 3) return;
  const [u, v] = [(x1 - x0) / long, (y1 - y0) / long];
  const head = Math.min(9, long * 0.6);
  for (const [colour, wide] of [[inks.page, 3.6], [ink, 1.5]]) line(context, x0, y0, x1 - u * head * 0.7, y1 - v * head * 0.7, colour, wide);
  context.fillStyle = ink;
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x1 - u * head - v * head * 0.42, y1 - v * head + u * head * 0.42);
  context.lineTo(x1 - u * head + v * head * 0.42, y1 - v * head - u * head * 0.42);
  context.fill();
}

/** Draws the lines, and their names where these cover none in `view.named`, to which they are added. */
function drawGroups({ context }) {
  view.ends = [];
  const centre = placeOf(drawnAxes().map(() => 0));
  for (const { group, g, ends } of groupEnds()) {
    const ink = groupInk(g);
    const ids = groupIds(g);
    for (const { line: at, point } of ends) {
      const place = placeOf(point);
      view.ends.push({ g, line: at, x: place[0], y: place[1] });
      if (group.arrows) drawArrow(context, centre, place, ink);
      else mark(context, { ink, shape: "diamond" }, place[0], place[1], 4.2);
    }
    for (const { line: at, point } of ends) {
      const [x, y] = placeOf(point);
      nameEnd(context, clipped(ids[at].trim(), 24), [x, y], group.arrows ? [x - centre[0], y - centre[1]] : null, ink);
    }
  }
}

/** Writes a name beyond the end of an arrow, or beside a mark, if nothing is written there. */
function nameEnd(context, text, [x, y], along, ink) {
  if (!text) return;
  context.font = `600 12px ${FONT}`;
  const long = context.measureText(text).width;
  context.font = `12px ${FONT}`;
  const aside = [[x + 8, y], [x - 8 - long, y], [x - long / 2, y - 11], [x - long / 2, y + 12]];
  const beyond = () => {
    const [dx, dy] = along;
    if (Math.abs(dx) < Math.abs(dy) * 0.5) return [x - long / 2, y + Math.sign(dy) * 10];
    return [dx < 0 ? x - 5 - long : x + 5, y + (Math.sign(dy) * Math.min(8, Math.abs(dy))) * 0.6];
  };
  const { box } = view;
  const isFree = ([left, middle]) => left > box.left + 2 && left + long < box.left + box.width - 2 && middle > box.top + 4 && middle < box.top + box.height - 4
    && !view.named.some((other) => left < other[2] && left + long > other[0] && middle - 7 < other[3] && middle + 7 > other[1]);
  const place = (along ? [beyond(), ...aside] : aside).find(isFree);
  if (!place) return;
  view.named.push([place[0] - 2, place[1] - 8, place[0] + long + 2, place[1] + 8]);
  words(context, text, ...place, { ink, halo: true, bold: true });
}

/** The line whose end is nearest to a pixel, within `reach` pixels; nothing if there is none. */
function nearestEnd(x, y, reach) {
  let [found, least] = [null, reach * reach];
  for (const end of view.ends ?? []) {
    const distance = (end.x - x) ** 2 + (end.y - y) ** 2;
    if (distance <= least) [found, least] = [end, distance];
  }
  return found;
}

/** What the groups are called together. */
const groupsName = () => meta.groups.map(({ name }) => name).join(", ");

/** What is drawn of the groups, in words. */
function groupText() {
  return meta.groups.map((group, g) => {
    const drawn = Math.min(state.lines, group.shown);
    if (!drawn) return "";
    const all = drawn === group.count ? `${thousands(drawn)} ${group.name}` : `the ${thousands(drawn)} ${group.arrows ? "longest" : "farthest"} of ${thousands(group.count)} ${group.name}`;
    return group.arrows ? ` Arrows: ${all}, in a scale of their own.` : ` Diamonds: ${all}, in the scale of the rows.`;
  }).join("");
}
