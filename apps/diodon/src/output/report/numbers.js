// Numbers as texts, and round marks on an axis.

const MINUS = "\u2212";
const withMinus = (text) => text.replace(/-/g, MINUS);

/** A number with so many significant digits, without trailing zeros. */
function short(value, digits = 5) {
  if (!Number.isFinite(value)) return "none";
  return withMinus(String(Number(value.toPrecision(digits))));
}

const percent = (share, digits = 1) => `${withMinus((100 * share).toFixed(digits))}\u2009%`;

/** A count with thin spaces between thousands. */
const thousands = (count) => String(count).replace(/\B(?=(\d{3})+$)/g, "\u2009");

/** A step of 1, 2 or 5 times a power of ten, so that about `wanted` of them make `length`. */
function step(length, wanted) {
  const raw = length / Math.max(wanted, 1);
  const power = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= raw * 0.999) ?? raw;
}

/** Marks from `low` to `high` with their labels, about `wanted` of them. */
function marks(low, high, wanted) {
  if (!(high > low)) return [];
  const by = step(high - low, wanted);
  const digits = Math.max(0, -Math.floor(Math.log10(by) + 1e-9));
  const plain = digits <= 5 && Math.max(Math.abs(low), Math.abs(high)) < 1e6;
  const first = Math.ceil(low / by - 1e-9);
  const found = [];
  for (let i = first; i * by <= high + by * 1e-9 && found.length < 100; i++) {
    const value = i * by;
    found.push({ value, label: i === 0 ? "0" : withMinus(plain ? value.toFixed(digits) : value.toExponential(1).replace(".0e", "e").replace("e+", "e")) });
  }
  return found;
}
