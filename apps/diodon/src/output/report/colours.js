// How items are coloured: each has a tint, and each tint is a colour and a shape.

/** After Okabe and Ito, told apart with any colour vision; lighter on dark pages. */
const CLASS_INKS = {
  light: ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#4d4d4d"],
  dark: ["#4a9fdc", "#f0793a", "#2fbf92", "#e39cc4", "#f0b93a", "#9ad4f7", "#d0d0d0"],
};
const SHAPES = ["disc", "square", "triangle", "diamond", "plus", "ring"];

/** Viridis, whose brightness tells its order: without the end that the page would swallow. */
const VIRIDIS = [
  [68, 1, 84], [72, 36, 117], [65, 68, 135], [53, 95, 141], [42, 120, 142], [33, 145, 140],
  [34, 168, 132], [68, 191, 112], [122, 209, 81], [189, 223, 38], [253, 231, 37],
];
const RAMP = 64;

/** The colour at `share` of the way along the ramp, as red, green and blue. */
function rampColour(share) {
  const [from, to] = inks.dark ? [0.16, 1] : [0, 0.93];
  const at = (from + (to - from) * Math.min(1, Math.max(0, share))) * (VIRIDIS.length - 1);
  const low = Math.min(Math.floor(at), VIRIDIS.length - 2);
  return VIRIDIS[low].map((part, c) => Math.round(part + (at - low) * (VIRIDIS[low + 1][c] - part)));
}

const rgb = (parts) => `rgb(${parts.join()})`;
const parts = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

/** Red, green and blue of a colour as styles have it. */
const partsOf = (ink) => (ink.startsWith("#") ? parts(ink.length === 4 ? ink.replace(/\w/g, "$&$&") : ink) : ink.match(/\d+/g).map(Number));

/** A colour as it is, nearer to that of text, or nearer to the page: for dots, which have no shapes. */
function varied(ink, round) {
  if (round === 0) return ink;
  const [other, share] = round === 1 ? [inks.text, 0.42] : [inks.page, 0.4];
  const to = partsOf(other);
  return rgb(partsOf(ink).map((part, c) => Math.round(part + share * (to[c] - part))));
}

/** Ways to colour: what each is called, and whether it is for classes, for numbers, or for neither. */
function colourings() {
  const list = [{ key: "none", name: "nothing", kind: "none" }];
  meta.labels.forEach(({ name, numeric, classes }, column) => {
    if (!classes.length) return;
    const many = classes.length > 2000;
    const keyOf = (kind) => (column ? `${kind}${column + 1}` : kind);
    if (!numeric || !many) list.push({ key: keyOf("class"), name, kind: "classes", column });
    if (numeric) list.push({ key: keyOf("number"), name: many ? name : `${name} (as numbers)`, kind: "numbers", column });
  });
  if (meta.shown) {
    list.push({ key: "quality", name: "quality on the axes shown", kind: "numbers" });
    list.push({ key: "qualityall", name: `quality on ${axesName()}`, kind: "numbers" });
    allAxes().forEach((a) => list.push({ key: `axis${a}`, name: `axis ${a + 1}`, kind: "numbers" }));
  }
  return list;
}

const axesName = () => (meta.shown === 1 ? "axis 1" : `axes 1 to ${meta.shown}`);

/** The colouring to begin with: numbers where there are too many or where they are not whole. */
function firstColouring() {
  if (!meta.labels.length || !meta.labels[0].classes.length) return "none";
  const { numeric, classes } = meta.labels[0];
  const counts = classes.length <= 30 && classes.every((text) => /^[+-]?\d+$/.test(text));
  return numeric && !counts ? "number" : "class";
}

/** Values that a colouring by numbers shows, with their range. */
function colourValues({ key, column }, shownAxes) {
  if (column !== undefined) return { values: labelNumbers(column), range: span(labelNumbers(column)) };
  if (key === "quality") return { values: quality(shownAxes), range: [0, 1] };
  if (key === "qualityall") return { values: quality(allAxes()), range: [0, 1] };
  const values = axis(Number(key.slice(4)));
  return { values, range: span(values), unit: meta.scale };
}

/** Tints of all items under a colouring: `styles[tints[i]]` is how item `i` looks. */
function tinted(coloring, shownAxes) {
  const { kind, column } = coloring;
  const quiet = { ink: inks.none, shape: "disc" };
  if (kind === "none") {
    return { tints: new Uint8Array(meta.items), styles: [{ ink: inks.bar, shape: "disc" }] };
  }
  if (kind === "classes") {
    const set = CLASS_INKS[inks.dark ? "dark" : "light"];
    const style = (_, c) => {
      const round = Math.floor(c / set.length);
      return { ink: varied(set[c % set.length], round % 3), shape: SHAPES[round % SHAPES.length] };
    };
    return { tints: codes(column), styles: [quiet, ...meta.labels[column].classes.map(style)] };
  }
  const { values, range, unit } = colourValues(coloring, shownAxes);
  const length = range[1] - range[0] || 1;
  const tint = (value) => (Number.isNaN(value) ? 0 : 1 + Math.min(RAMP - 1, Math.max(0, Math.floor(((value - range[0]) / length) * RAMP))));
  const ramp = Array.from({ length: RAMP }, (_, s) => ({ ink: rgb(rampColour(s / (RAMP - 1))), shape: "disc" }));
  const missing = values.some(Number.isNaN);
  return { tints: Uint8Array.from(values, tint), styles: [quiet, ...ramp], range, unit: unit ?? 1, missing };
}
