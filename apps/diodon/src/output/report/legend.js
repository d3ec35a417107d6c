// Beside the figure: what the colours mean, with classes to switch off and on, and what is known of one item.

/** Most classes that are listed. */
const MOST_CLASSES = 400;

function showLegend(coloring) {
  const place = element("legend");
  if (coloring.kind === "classes") {
    const isMixed = state.draw === "density";
    place.replaceChildren(...classLegend(coloring.column), ...(isMixed ? [make("p", { class: "quiet" }, "Colours mix where classes overlap.")] : []));
  }
  else if (coloring.kind === "numbers") place.replaceChildren(...rampLegend(coloring));
  else if (state.draw === "density") place.replaceChildren(make("h3", {}, "Items in a square"), ramp(), ends("few", "most"));
  else place.replaceChildren();
}

function ends(low, high) {
  return make("div", { class: "ends" }, make("span", {}, low), make("span", {}, high));
}

/** The ramp of colours from its low end to its high end. */
function ramp() {
  const canvas = make("canvas", { class: "ramp", width: 256, height: 1, "aria-hidden": "true" });
  const context = canvas.getContext("2d");
  for (let x = 0; x < 256; x++) {
    context.fillStyle = rgb(rampColour(x / 255));
    context.fillRect(x, 0, 1, 1);
  }
  return canvas;
}

function rampLegend(coloring) {
  const [low, high] = paint.range.map((end) => short(end * paint.unit, 4));
  const none = coloring.column !== undefined ? "no label" : { quality: "no quality", qualityall: "no quality" }[coloring.key];
  const rest = paint.missing ? [make("p", { class: "quiet" }, `grey: ${none ?? "none"}`)] : [];
  const isQuality = coloring.key.startsWith("quality");
  return [make("h3", {}, coloring.name), ramp(), ends(low, isQuality ? `${high} and more` : high), ...rest];
}

function swatch(style) {
  const canvas = make("canvas", { width: 32, height: 32, style: "width:16px;height:16px", "aria-hidden": "true" });
  const context = canvas.getContext("2d");
  context.scale(2, 2);
  mark(context, style, 8, 8, 4.6);
  return canvas;
}

/** Switches for the classes of a column of labels. */
function classLegend(column) {
  const counts = codeCounts(column);
  const { name, classes } = meta.labels[column];
  const order = classes.map((_, c) => c + 1);
  if (counts[0]) order.push(0);
  const entry = (code) => make(
    "li", {},
    make(
      "button",
      { type: "button", role: "switch", "aria-checked": String(!state.hidden.has(code)), "data-code": code, title: "Switch off or on; with Shift, or twice, see it alone", onclick: (event) => toggle(code, event.shiftKey), ondblclick: () => toggle(code, true) },
      swatch(paint.styles[code]), make("span", {}, code ? classes[code - 1] : "no label"), make("span", { class: "count" }, thousands(counts[code])),
    ),
  );
  const more = order.length - MOST_CLASSES;
  const every = (isHidden) => {
    state.hidden = new Set(isHidden ? order : []);
    changed();
  };
  return [
    make("h3", {}, make("span", {}, name)),
    make("div", { class: "all" }, make("button", { type: "button", onclick: () => every(false) }, "all"), make("button", { type: "button", onclick: () => every(true) }, "none")),
    make("ul", {}, ...order.slice(0, MOST_CLASSES).map(entry), ...(more > 0 ? [make("li", { class: "quiet" }, `and ${thousands(more)} more`)] : [])),
  ];
}

/** Switches a class off or on; or all others off, if it is to be seen alone. */
function toggle(code, alone) {
  if (alone) {
    const others = Array.from(paint.styles, (_, other) => other).filter((other) => other !== code);
    state.hidden = new Set(others);
  } else if (!state.hidden.delete(code)) state.hidden.add(code);
  changed();
}

function showClass(code) {
  state.hidden.delete(code);
  changed();
}

/** After classes were switched: the switches, and the figure. */
function changed() {
  for (const button of document.querySelectorAll("#legend [data-code]")) {
    button.setAttribute("aria-checked", String(!state.hidden.has(Number(button.dataset.code))));
  }
  redraw();
}

/** All that is known of an item; a hint if it is none. */
function showDetails(item) {
  const place = element("details");
  if (item < 0) {
    place.replaceChildren(make("p", { class: "quiet" }, meta.items && meta.shown ? "Point at an item to see its coordinates; click to keep it." : ""));
    return;
  }
  const norm = norms()[item];
  const rows = allAxes().map((a) => {
    const x = axis(a)[item];
    const share = norm > 0 ? percent((x * x) / norm) : "none";
    return make("tr", {}, make("th", { scope: "row" }, String(a + 1)), make("td", {}, short(x * meta.scale)), make("td", {}, share));
  });
  const all = norm > 0 ? `${percent(quality(allAxes())[item])} on ${axesName()}` : "none, since its squared distance from the centre is not positive";
  const head = make("tr", {}, ...["axis", "coordinate", "quality"].map((name) => make("th", { scope: "col" }, name)));
  place.replaceChildren(
    make("h3", {}, make("span", {}, ids[item])),
    ...labelTexts(item).map((text) => make("p", {}, text)),
    make("p", { class: "quiet" }, `Quality: ${all}`),
    make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows)),
  );
}
