// Hands on the figure: pointing, dragging, zooming, by mouse, touch and keys.

let waiting = false;
/** Draws the figure at the next frame, however often it is asked for until then. */
function redraw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    drawScatter();
  });
}

/** Shows the item under the pointer; none if there is none near. */
function point(item) {
  const tip = element("tip");
  if (item !== pointed.item) {
    pointed.item = item;
    drawOverlay();
    if (state.pinned < 0) showDetails(item);
  }
  tip.hidden = item < 0;
  if (item < 0) return;
  const lines = shownAxes().map((a) => `axis ${a + 1}: ${short(axis(a)[item] * meta.scale)}`);
  showTip(ids[item], [...labelTexts(item), ...lines], [view.xs[item], view.ys[item]]);
}

/** Shows a variable under the pointer, if there is one. */
function pointLine(end) {
  if (!end) return;
  const { name, unit } = meta.groups[end.g];
  const lines = shownAxes().map((a) => `axis ${a + 1}: ${short(groupAxis(end.g, a)[end.line] * unit)}`);
  element("tip").hidden = false;
  showTip(groupIds(end.g)[end.line], [`one of the ${name}`, ...lines], [end.x, end.y]);
}

/** Fills the tip, and puts it beside a place. */
function showTip(head, lines, [x, y]) {
  const tip = element("tip");
  tip.replaceChildren(make("b", {}, head), ...lines.map((text) => make("div", {}, text)));
  const plot = element("plot");
  const left = x + 16 + tip.offsetWidth > plot.clientWidth ? x - 16 - tip.offsetWidth : x + 16;
  tip.style.left = `${Math.max(4, left)}px`;
  tip.style.top = `${Math.min(plot.clientHeight - tip.offsetHeight - 4, Math.max(4, y - 12))}px`;
}

function pin(item) {
  state.pinned = item;
  if (item >= 0 && hides(item)) showClass(paint.tints[item]);
  showDetails(item);
  drawOverlay();
}

const pointers = new Map();
let moved = 0;

function placeIn(event) {
  const area = element("overlay").getBoundingClientRect();
  return [event.clientX - area.left, event.clientY - area.top];
}

function pressed(event) {
  const overlay = element("overlay");
  overlay.focus({ preventScroll: true });
  try {
    overlay.setPointerCapture(event.pointerId);
  } catch { /* a pointer that is gone already */ }
  pointers.set(event.pointerId, placeIn(event));
  moved = 0;
}

function dragged(event) {
  const place = placeIn(event);
  const before = pointers.get(event.pointerId);
  if (!before) {
    const item = nearest(...place, state.draw === "density" ? 6 : 12);
    point(item);
    if (item < 0) pointLine(nearestEnd(...place, 12));
    return;
  }
  const [right, down] = [place[0] - before[0], place[1] - before[1]];
  moved += Math.abs(right) + Math.abs(down);
  if (moved < 4) return;
  point(-1);
  element("overlay").classList.add("dragged");
  const other = [...pointers].find(([id]) => id !== event.pointerId);
  if (other) pinch(before, place, other[1]);
  else if (is3d() && !event.shiftKey) view.turn = turnBy(view.turn, down * 0.008, right * 0.008);
  else pan(right, down);
  pointers.set(event.pointerId, place);
  redraw();
}

/** Two fingers: the distance between them zooms, the middle of them moves. */
function pinch(before, place, still) {
  const apart = (a) => Math.max(10, Math.hypot(a[0] - still[0], a[1] - still[1]));
  zoom(apart(place) / apart(before), (place[0] + still[0]) / 2, (place[1] + still[1]) / 2);
  pan((place[0] - before[0]) / 2, (place[1] - before[1]) / 2);
}

function released(event) {
  const isClick = pointers.has(event.pointerId) && moved < 4 && event.type === "pointerup";
  pointers.delete(event.pointerId);
  element("overlay").classList.remove("dragged");
  if (isClick) pin(nearest(...placeIn(event), 12));
}

function wheeled(event) {
  const isWanted = event.ctrlKey || event.metaKey || document.activeElement === element("overlay");
  if (!isWanted) return;
  event.preventDefault();
  zoom(Math.exp(-Math.max(-120, Math.min(120, event.deltaY)) * 0.0022), ...placeIn(event));
  point(-1);
  redraw();
}

function keyed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const arrow = arrows[event.key];
  if (arrow && is3d() && !event.shiftKey) view.turn = turnBy(view.turn, arrow[1] * 0.1, arrow[0] * 0.1);
  else if (arrow) pan(arrow[0] * -40, arrow[1] * -40);
  else if (event.key === "+" || event.key === "=") zoom(1.25);
  else if (event.key === "-") zoom(0.8);
  else if (event.key === "0") resetView();
  else if (event.key === "Escape") pin(-1);
  else return;
  event.preventDefault();
  redraw();
}

/** Shows all again, from where the figure was first seen. */
function resetView() {
  view.turn = START_TURN;
  view.isSet = false;
  redraw();
}

/** Saves the figure, as it is, as an image. */
function saveImage() {
  const [below, above] = [element("scatter"), element("overlay")];
  const whole = document.createElement("canvas");
  [whole.width, whole.height] = [below.width, below.height];
  const context = whole.getContext("2d");
  context.fillStyle = inks.page;
  context.fillRect(0, 0, whole.width, whole.height);
  context.drawImage(below, 0, 0);
  context.drawImage(above, 0, 0);
  whole.toBlob((blob) => {
    const link = make("a", { href: URL.createObjectURL(blob), download: "ordination.png" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
}

function listenToHands() {
  const overlay = element("overlay");
  overlay.addEventListener("pointerdown", pressed);
  overlay.addEventListener("pointermove", dragged);
  overlay.addEventListener("pointerup", released);
  overlay.addEventListener("pointercancel", released);
  overlay.addEventListener("pointerleave", () => point(-1));
  overlay.addEventListener("wheel", wheeled, { passive: false });
  overlay.addEventListener("keydown", keyed);
  overlay.addEventListener("dblclick", resetView);
  element("in").addEventListener("click", () => (zoom(1.4), redraw()));
  element("out").addEventListener("click", () => (zoom(1 / 1.4), redraw()));
  element("reset").addEventListener("click", resetView);
  element("save").addEventListener("click", saveImage);
}
