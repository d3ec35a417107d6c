// Items on the canvas: as marks, or as a density in small squares.

/** Marks as small pictures, made when they are first drawn. */
const pictures = new Map();
function picture(style, radius, density) {
  const key = `${style.ink} ${style.shape} ${radius} ${density} ${inks.page}`;
  if (!pictures.has(key)) {
    if (pictures.size > 4000) pictures.clear();
    pictures.set(key, drawnMark(style, radius, density));
  }
  return pictures.get(key);
}

function drawnMark(style, radius, density) {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = Math.ceil(2 * (radius * 1.35 + 1.5) * density);
  const context = canvas.getContext("2d");
  context.scale(density, density);
  mark(context, style, canvas.width / density / 2, canvas.height / density / 2, radius);
  return canvas;
}

/** Draws a mark, with a hem in the colour of the page where it is large enough. */
function mark(context, { ink, shape }, x, y, r) {
  context.beginPath();
  if (shape === "disc" || shape === "ring") context.arc(x, y, r, 0, 7);
  else if (shape === "square") context.rect(x - r * 0.88, y - r * 0.88, r * 1.76, r * 1.76);
  else if (shape === "plus") {
    const [a, b] = [r * 1.15, r * 0.38];
    for (const [u, v] of [[-b, -a], [b, -a], [b, -b], [a, -b], [a, b], [b, b], [b, a], [-b, a], [-b, b], [-a, b], [-a, -b], [-b, -b]]) context.lineTo(x + u, y + v);
    context.closePath();
  } else {
    const corners = shape === "diamond" ? [[0, -1.25], [1.25, 0], [0, 1.25], [-1.25, 0]] : [[0, -1.15], [1.1, 0.8], [-1.1, 0.8]];
    for (const [u, v] of corners) context.lineTo(x + u * r, y + v * r);
    context.closePath();
  }
  if (shape === "ring") {
    context.strokeStyle = ink;
    context.lineWidth = Math.max(1, Math.min(2.2, r * 0.5));
    context.stroke();
    return;
  }
  if (r > 2.2) {
    context.strokeStyle = inks.page;
    context.lineWidth = 1.6;
    context.stroke();
  }
  context.fillStyle = ink;
  context.fill();
}

const radiusFor = (count) => (count <= 60 ? 5.5 : count <= 400 ? 4.5 : count <= 3000 ? 3.6 : count < MANY ? 2.4 : 1.5);

/** Items from the farthest to the nearest, by counting: the order in which they are drawn with depth. */
function byDepth() {
  const LEVELS = 256;
  const { depths } = view;
  const [low, high] = span(depths);
  const factor = (LEVELS - 1) / (high - low || 1);
  const starts = new Uint32Array(LEVELS + 1);
  const level = (depth) => Math.floor((depth - low) * factor);
  for (let i = 0; i < depths.length; i++) starts[level(depths[i]) + 1]++;
  for (let l = 0; l < LEVELS; l++) starts[l + 1] += starts[l];
  const order = new Uint32Array(depths.length);
  for (let i = 0; i < depths.length; i++) order[starts[level(depths[i])]++] = i;
  return { order, share: (item) => (high > low ? (depths[item] - low) / (high - low) : 1) };
}

/** From so many items on, marks are single pixels set by hand: their shapes could not be seen. */
const MANY = 20000;
/** Steps from the colour of the page to that of an item, by depth. */
const FADES = 8;

/** Draws many items as dots, pixel by pixel; says how many lie within the canvas. */
function drawDots({ context, width, height, density }) {
  const [columns, rows] = [context.canvas.width, context.canvas.height];
  const image = new ImageData(columns, rows);
  const pixels = new Uint32Array(image.data.buffer);
  const depth = is3d() ? byDepth() : null;
  const page = partsOf(inks.page);
  const blend = (ink, share) => partsOf(ink).reduce((word, part, c) => word | (Math.round(part * share + page[c] * (1 - share)) << (8 * c)), 0xff000000) >>> 0;
  const fades = Array.from({ length: FADES }, (_, f) => Uint32Array.from(paint.styles, ({ ink }) => blend(ink, depth ? 0.3 + (0.7 * (f + 1)) / FADES : 1)));
  const radius = 1.3 * density;
  const dot = [];
  for (let v = -4; v <= 4; v++) for (let u = -4; u <= 4; u++) if (u * u + v * v <= radius * radius) dot.push(v * columns + u);
  const isHidden = Uint8Array.from(paint.styles, (_, tint) => state.hidden.has(tint));
  let drawn = 0;
  for (let k = 0; k < view.xs.length; k++) {
    const i = depth ? depth.order[k] : k;
    const [x, y, tint] = [Math.round(view.xs[i] * density), Math.round(view.ys[i] * density), paint.tints[i]];
    if (isHidden[tint] || x < 4 || y < 4 || x >= columns - 4 || y >= rows - 4) continue;
    const colour = fades[depth ? Math.min(FADES - 1, Math.floor(depth.share(i) * FADES)) : FADES - 1][tint];
    const at = y * columns + x;
    for (let d = 0; d < dot.length; d++) pixels[at + dot[d]] = colour;
    drawn++;
  }
  lay(context, image, width, height);
  return drawn;
}

/** Lays an image over the whole canvas. */
function lay(context, image, width, height) {
  const sheetOfIt = document.createElement("canvas");
  [sheetOfIt.width, sheetOfIt.height] = [image.width, image.height];
  sheetOfIt.getContext("2d").putImageData(image, 0, 0);
  context.imageSmoothingEnabled = false;
  context.drawImage(sheetOfIt, 0, 0, width, height);
}

/** Draws the items as marks; says how many lie within the canvas. */
function drawMarks({ context, width, height, density }) {
  if (meta.items >= MANY) return drawDots({ context, width, height, density });
  const { xs, ys } = view;
  const [radius, depth] = [radiusFor(meta.items), is3d() ? byDepth() : null];
  const drawnStyles = new Array(paint.styles.length);
  const fresh = meta.fresh ?? meta.items;
  const outline = fresh < meta.items ? picture({ ink: inks.text, shape: "ring" }, radius + 1.2, density) : null;
  let drawn = 0;
  context.setTransform(1, 0, 0, 1, 0, 0);
  const fade = meta.items > 3000 ? 0.75 : 0.92;
  context.globalAlpha = fade;
  for (let k = 0; k < xs.length; k++) {
    const i = depth ? depth.order[k] : k;
    const [x, y, tint] = [xs[i], ys[i], paint.tints[i]];
    if (x < -9 || y < -9 || x > width + 9 || y > height + 9 || state.hidden.has(tint)) continue;
    if (depth) context.globalAlpha = fade * (0.35 + 0.65 * depth.share(i));
    const image = drawnStyles[tint] ??= picture(paint.styles[tint], radius, density);
    context.drawImage(image, Math.round(x * density - image.width / 2), Math.round(y * density - image.height / 2));
    if (i >= fresh) context.drawImage(outline, Math.round(x * density - outline.width / 2), Math.round(y * density - outline.height / 2));
    drawn++;
  }
  context.globalAlpha = 1;
  context.setTransform(density, 0, 0, density, 0, 0);
  return drawn;
}

/** Side of a square of the density in pixels. */
const CELL = 2;

/** Numbers of items in the squares, smoothed, and their colours summed up. */
function counted(width, height) {
  const [columns, rows] = [Math.ceil(width / CELL), Math.ceil(height / CELL)];
  const layers = paint.styles.length > 1 ? 4 : 1;
  const sums = Array.from({ length: layers }, () => new Float32Array(columns * rows));
  const colours = paint.styles.map(({ ink }) => partsOf(ink));
  const isHidden = Uint8Array.from(paint.styles, (_, tint) => state.hidden.has(tint));
  let drawn = 0;
  for (let i = 0; i < view.xs.length; i++) {
    const [column, row] = [Math.floor(view.xs[i] / CELL), Math.floor(view.ys[i] / CELL)];
    if (column < 0 || row < 0 || column >= columns || row >= rows || isHidden[paint.tints[i]]) continue;
    const at = row * columns + column;
    const colour = colours[paint.tints[i]];
    sums[0][at]++;
    for (let c = 1; c < layers; c++) sums[c][at] += colour[c - 1];
    drawn++;
  }
  return { columns, rows, drawn, sums: sums.map((sum) => smooth(sum, columns, rows)) };
}

/** Weighted means over three squares across and three down. */
function smooth(values, columns, rows) {
  const pass = (from, by, length, lines, along) => {
    const to = new Float32Array(from.length);
    for (let l = 0; l < lines; l++) {
      for (let p = 0; p < length; p++) {
        const at = l * along + p * by;
        const [before, after] = [p > 0 ? from[at - by] : 0, p + 1 < length ? from[at + by] : 0];
        to[at] = 0.25 * before + 0.5 * from[at] + 0.25 * after;
      }
    }
    return to;
  };
  return pass(pass(values, 1, columns, rows, columns), columns, rows, columns, 1);
}

/** Draws the density of the items, by the logarithm of their number; says how many are in the canvas. */
function drawDensity({ context, width, height }) {
  const { columns, rows, drawn, sums } = counted(width, height);
  let most = 0;
  for (const count of sums[0]) if (count > most) most = count;
  const image = new ImageData(columns, rows);
  const [least, page] = [0.05, partsOf(inks.page)];
  const whole = Math.log(Math.max(most, 1) / least);
  const ramp = Array.from({ length: 256 }, (_, step) => rampColour(step / 255));
  for (let at = 0; at < sums[0].length; at++) {
    const count = sums[0][at];
    if (count < least) continue;
    const level = Math.log(count / least) / whole;
    const isPlain = sums.length === 1;
    const shade = ramp[Math.min(255, Math.floor(level * 256))];
    const cover = isPlain ? 0.35 + 0.65 * Math.min(1, 3 * level) : 0.25 + 0.75 * level;
    for (let c = 0; c < 3; c++) image.data[4 * at + c] = (isPlain ? shade[c] : sums[c + 1][at] / count) * cover + page[c] * (1 - cover);
    image.data[4 * at + 3] = 255;
  }
  lay(context, image, columns * CELL, rows * CELL);
  return drawn;
}
