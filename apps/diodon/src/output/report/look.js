// Colours of the page as the style sheet has them, and canvases that are sharp on every screen.

const root = document.documentElement;
const inkOf = (name) => getComputedStyle(root).getPropertyValue(`--${name}`).trim();
let inks = {};
function readInks() {
  const names = ["text", "quiet", "page", "ground", "line", "grid", "axis", "bar", "minus", "third", "focus", "none"];
  inks = Object.fromEntries(names.map((name) => [name, inkOf(name)]));
  inks.dark = getComputedStyle(root).colorScheme === "dark";
}

const FONT = 'system-ui, "DejaVu Sans", sans-serif';

/** A context that is cleared and scaled to the element's size in pixels of the style sheet. */
function sheet(canvas) {
  const density = Math.min(window.devicePixelRatio || 1, 3);
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const [w, h] = [Math.max(1, Math.round(width * density)), Math.max(1, Math.round(height * density))];
  if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
  const context = canvas.getContext("2d");
  context.setTransform(density, 0, 0, density, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = `12px ${FONT}`;
  context.textBaseline = "middle";
  return { context, width, height, density };
}

function line(context, x0, y0, x1, y1, ink, thick = 1) {
  context.strokeStyle = ink;
  context.lineWidth = thick;
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  context.stroke();
}

/** Text with a halo of the page's colour, so that it can be read on anything. */
function words(context, text, x, y, { ink = inks.quiet, align = "left", halo = false, turn = 0, bold = false } = {}) {
  context.save();
  context.translate(x, y);
  context.rotate(turn);
  context.textAlign = align;
  if (bold) context.font = `600 12px ${FONT}`;
  if (halo) {
    context.strokeStyle = inks.page;
    context.lineWidth = 4;
    context.lineJoin = "round";
    context.strokeText(text, 0, 0);
  }
  context.fillStyle = ink;
  context.fillText(text, 0, 0);
  context.restore();
}

/** The middle of a pixel, where a line of one pixel is sharp. */
const crisp = (at) => Math.round(at - 0.5) + 0.5;

/** An element with attributes and children, which are elements or texts. */
function make(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== null) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}
