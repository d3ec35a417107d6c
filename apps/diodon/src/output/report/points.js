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
    context.lineWidth = Math.max(1, r * 0.5);
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

const radiusFor = (count) => (count <= 60 ? 5.5 : count <= 400 ? 4.5 : count <= 3000 ? 3.6 : count <= 20000 ? 2.4 : 1.5);

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
  return { order, share: (item) => (depths[item] - low) / (high - low || 1) };
}

/** Draws the items as marks; says how many lie within the canvas. */
function drawMarks({ context, width, height, density }) {
  const { xs, ys } = view;
  const [radius, depth] = [radiusFor(meta.items), is3d() ? byDepth() : null];
  const drawnStyles = new Array(paint.styles.length);
  let drawn = 0;
  context.setTransform(1, 0, 0, 1, 0, 0);
  const fade = meta.items > 3000 ? 0.75 : 0.92;
  context.globalAlpha = fade;
  for (let k = 0; k < xs.length; k++) {
    const i = depth ? depth.order[k] : k;
    const [x, y, tint] = [xs[i], ys[i], paint.tints[i]];
    if (x < -9 || y < -9 || x > width + 9 || y > height + 9 || state.hidden.has(tint)) continue;
    if (depth && k % 64 === 0) context.globalAlpha = fade * (0.35 + 0.65 * depth.share(i));
    const image = drawnStyles[tint] ??= picture(paint.styles[tint], radius, density);
    context.drawImage(image, Math.round(x * density - image.width / 2), Math.round(y * density - image.height / 2));
    drawn++;
  }
  context.globalAlpha = 1;
  context.setTransform(density, 0, 0, density, 0, 0);
  return drawn;
}

/** Side of a square of the density in pixels. */
const CELL = 3;

/** Numbers of items in the squares, smoothed, and their colours summed up. */
function counted(width, height) {
  const [columns, rows] = [Math.ceil(width / CELL), Math.ceil(height / CELL)];
  const layers = paint.styles.length > 1 ? 4 : 1;
  const sums = Array.from({ length: layers }, () => new Float32Array(columns * rows));
  const colours = paint.styles.map(({ ink }) => (ink.startsWith("#") ? parts(ink) : ink.match(/\d+/g).map(Number)));
  let drawn = 0;
  for (let i = 0; i < view.xs.length; i++) {
    const [column, row] = [Math.floor(view.xs[i] / CELL), Math.floor(view.ys[i] / CELL)];
    if (column < 0 || row < 0 || column >= columns || row >= rows || hides(i)) continue;
    const at = row * columns + column;
    sums[0][at]++;
    for (let c = 1; c < layers; c++) sums[c][at] += colours[paint.tints[i]][c - 1];
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
  const most = sums[0].reduce((a, b) => Math.max(a, b), 0);
  paint.most = most;
  const image = new ImageData(columns, rows);
  const [least, page] = [0.05, parts(inks.page.length === 4 ? inks.page.replace(/\w/g, "$&$&") : inks.page)];
  const whole = Math.log(Math.max(most, 1) / least);
  for (let at = 0; at < sums[0].length; at++) {
    const count = sums[0][at];
    if (count < least) continue;
    const level = Math.log(count / least) / whole;
    const colour = sums.length === 1 ? rampColour(level) : sums.slice(1).map((sum) => sum[at] / count);
    const cover = sums.length === 1 ? 0.35 + 0.65 * Math.min(1, 3 * level) : 0.25 + 0.75 * level;
    for (let c = 0; c < 3; c++) image.data[4 * at + c] = colour[c] * cover + page[c] * (1 - cover);
    image.data[4 * at + 3] = 255;
  }
  const small = document.createElement("canvas");
  [small.width, small.height] = [columns, rows];
  small.getContext("2d").putImageData(image, 0, 0);
  context.imageSmoothingEnabled = false;
  context.drawImage(small, 0, 0, columns * CELL, rows * CELL);
  return drawn;
}
