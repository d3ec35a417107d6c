// What is in the page: numbers, ids, labels. All arrays are decoded when they are first asked for.

const element = (id) => document.getElementById(id);
const meta = JSON.parse(element("meta").textContent);
const ids = JSON.parse(element("ids").textContent);

/** Bytes of the base-64 text of an element. */
function bytesOf(id) {
  const raw = atob(element(id).textContent);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

const decoded = new Map();
function once(key, make) {
  if (!decoded.has(key)) decoded.set(key, make());
  return decoded.get(key);
}

/** No axis: items are spread at random, to be told apart along the other one. */
const SPREAD = -1;

/** Coordinates along an axis, in units of `meta.scale`. */
function axis(number) {
  return once(`axis${number}`, () => {
    if (number !== SPREAD) return new Float32Array(bytesOf(`axis${number}`).buffer);
    const extent = meta.shown ? 0.12 * Math.max(span(axis(0))[1] - span(axis(0))[0], 1e-30) : 1;
    return Float32Array.from(ids, (_, i) => (((i * 0.6180339887498949) % 1) - 0.5) * extent);
  });
}

/** Squared distances from the centre, in units of `meta.scale` squared. */
const norms = () => once("norms", () => new Float32Array(bytesOf("norms").buffer));

/** For each item 0 if it has no label in column `c`, else one more than the place of its label in the classes. */
const codes = (c) => once(`codes${c}`, () => {
  const Kind = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array }[meta.labels[c].width];
  return new Kind(bytesOf(`codes${c}`).buffer);
});

/** Label of an item in column `c`, or nothing. */
function labelOf(item, c) {
  const code = codes(c)[item];
  return code ? meta.labels[c].classes[code - 1] : "";
}

/** Most columns of labels that are told of an item. */
const MOST_TOLD = 8;

/** What is known of an item by its labels: a text for each column. */
const labelTexts = (item) => meta.labels.slice(0, MOST_TOLD).map(({ name }, c) => `${name}: ${labelOf(item, c) || "no label"}`);

/** All labels of an item, in one text. */
const allLabels = (item) => meta.labels.map((_, c) => labelOf(item, c)).filter(Boolean).join(", ");

/** Labels of column `c` as numbers; NaN where there is none. */
const labelNumbers = (c) => once(`numbers${c}`, () => {
  const values = meta.labels[c].classes.map(Number);
  return Float64Array.from(codes(c), (code) => (code ? values[code - 1] : NaN));
});

/** How many items have each code of column `c`. */
const codeCounts = (c) => once(`counts${c}`, () => {
  const counts = new Uint32Array(meta.labels[c].classes.length + 1);
  for (const code of codes(c)) counts[code]++;
  return counts;
});

/** Share of each item's squared distance from the centre that these axes show; NaN where it has none. */
function quality(axes) {
  return once(`quality ${axes.join()}`, () => {
    const sums = new Float32Array(meta.items);
    for (const values of axes.map(axis)) for (let i = 0; i < sums.length; i++) sums[i] += values[i] * values[i];
    const whole = norms();
    for (let i = 0; i < sums.length; i++) sums[i] = whole[i] > 0 ? sums[i] / whole[i] : NaN;
    return sums;
  });
}

/** All axes of the page. */
const allAxes = () => Array.from({ length: meta.shown }, (_, a) => a);

/** Least and greatest of the values that are numbers; nothing where `hides` says so. */
function span(values, hides = () => false) {
  let [least, most] = [Infinity, -Infinity];
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (value < least && !hides(i)) least = value;
    if (value > most && !hides(i)) most = value;
  }
  return least <= most ? [least, most] : [0, 0];
}
