// The controls above the figures, the search, the address of a view; and the first drawing.

const THEMES = ["system", "light", "dark"];

function fill(select, entries, chosen) {
  select.replaceChildren(...entries.map(([value, name]) => make("option", { value }, name)));
  select.value = String(chosen);
}

const coloring = () => colourings().find(({ key }) => key === state.colour) ?? colourings()[0];

/** Chooses the tints anew, after the colouring, the axes or the theme changed. */
function recolour() {
  paint = tinted(coloring(), shownAxes());
  showLegend(coloring());
}

/** Fills the choices of axes: depth needs a third one. */
function fillControls() {
  const named = allAxes().map((a) => [a, axisName(a, "")]);
  const spread = [[SPREAD, meta.shown > 1 ? "nothing (spread)" : "nothing"]];
  fill(element("x"), named, state.x);
  fill(element("y"), [...named, ...spread], state.y);
  fill(element("z"), [[SPREAD, "none (flat)"], ...(meta.shown > 2 ? named : [])], state.z);
  fill(element("colour"), colourings().map(({ key, name }) => [key, name]), state.colour);
  fill(element("over"), [["shown", "the axes shown above"], ["all", axesName()]], state.over);
  element("draw").value = state.draw;
  element("lines").closest("label").hidden = !meta.groups.length;
  element("groups").textContent = groupsName();
  const most = Math.max(0, ...meta.groups.map(({ shown }) => shown));
  const counts = [10, 30, 100].filter((count) => count < most);
  const first = meta.groups.some(({ arrows }) => arrows) ? "longest" : "farthest";
  const isCut = meta.groups.some(({ count, shown }) => shown < count);
  fill(element("lines"), [[0, "none"], ...counts.map((count) => [count, `${count} ${first}`]), [most, isCut ? `${most} ${first}` : "all"]], Math.min(state.lines, most));
  element("equal").checked = state.equal;
  element("equal").disabled = is3d();
  element("names").checked = state.names;
  element("names").disabled = state.draw === "density";
}

/** Makes the figure as high as suits its width and what it shows. */
function fitPlot() {
  const plot = element("plot");
  const most = Math.min(640, Math.max(320, plot.clientWidth * 0.98, innerHeight * 0.5));
  plot.style.height = `${fittingHeight(plot.clientWidth, Math.round(most))}px`;
}

/** Draws everything, after a choice; `anew` if the view no longer suits it. */
function update(anew) {
  if (anew) view.isSet = false;
  if (!view.isSet) fitPlot();
  fillControls();
  recolour();
  drawScatter();
  drawHistogram();
  keepAddress();
}

function listenToControls() {
  const numbers = { x: true, y: true, z: true, lines: true };
  for (const name of ["x", "y", "z", "colour", "draw", "over", "lines"]) {
    element(name).addEventListener("change", (event) => {
      state[name] = numbers[name] ? Number(event.target.value) : event.target.value;
      if (name === "colour") state.hidden = new Set();
      update(numbers[name]);
    });
  }
  element("equal").addEventListener("change", (event) => {
    state.equal = event.target.checked;
    update(true);
  });
  element("names").addEventListener("change", (event) => {
    state.names = event.target.checked;
    redraw();
  });
  element("theme").addEventListener("click", () => {
    const theme = root.dataset.theme ?? "system";
    setTheme(THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]);
    drawAll();
    keepAddress();
  });
}

function setTheme(theme) {
  if (theme === "system" || !THEMES.includes(theme)) delete root.dataset.theme;
  else root.dataset.theme = theme;
  element("theme").textContent = `Theme: ${root.dataset.theme ?? "system"}`;
}

/** Reads the choices that the address of the page names after its `#`. */
function readAddress() {
  const named = new URLSearchParams(location.hash.slice(1));
  for (const name of ["x", "y", "z"]) {
    const number = Number(named.get(name)) - 1;
    const allowed = Number.isInteger(number) && number >= (name === "x" ? 0 : SPREAD) && number < meta.shown;
    if (named.has(name) && allowed) state[name] = number;
  }
  if (colourings().some(({ key }) => key === named.get("colour"))) state.colour = named.get("colour");
  if (["points", "density"].includes(named.get("draw"))) state.draw = named.get("draw");
  if (named.has("theme")) setTheme(named.get("theme"));
  if (named.has("id")) pointed.first = ids.indexOf(named.get("id"));
}

/** Keeps the choices in the address, so that it can be passed on. */
function keepAddress() {
  const named = new URLSearchParams({ x: state.x + 1, y: state.y + 1, z: state.z + 1, colour: state.colour, draw: state.draw });
  if (root.dataset.theme) named.set("theme", root.dataset.theme);
  try {
    history.replaceState(null, "", `#${named}`);
  } catch { /* some browsers do not allow it to files */ }
}

const MOST_FOUND = 50;
let texts = null;

/** Items whose id or label has the text in it, ids that are equal to it or start with it first. */
function itemsWith(text) {
  texts ??= ids.map((id, i) => `${id}\n${allLabels(i)}`.toLowerCase());
  const wanted = text.trim().toLowerCase();
  if (!wanted) return [];
  const found = [[], [], []];
  texts.forEach((candidate, i) => {
    const at = candidate.indexOf(wanted);
    if (at >= 0) found[candidate.startsWith(`${wanted}\n`) ? 0 : at === 0 ? 1 : 2].push(i);
  });
  return found.flat();
}

function search() {
  pointed.found = itemsWith(element("search").value);
  const isAsked = element("search").value.trim() !== "";
  const entries = pointed.found.slice(0, MOST_FOUND).map((item, place) => {
    const label = allLabels(item);
    const entry = make("li", { role: "option", id: `found${place}`, "aria-selected": "false", onpointerdown: (event) => (event.preventDefault(), choose(place)) }, ids[item]);
    if (label) entry.append(make("span", { class: "quiet" }, ` \u00b7 ${label}`));
    return entry;
  });
  const count = pointed.found.length;
  const remark = count === 0 ? "Nothing found" : count > MOST_FOUND ? `${thousands(count)} found, the first ${MOST_FOUND} listed` : `${thousands(count)} found`;
  element("found").replaceChildren(...entries, make("li", { class: "quiet", role: "presentation" }, remark));
  open(isAsked);
  drawOverlay();
}

function open(isOpen) {
  element("found").hidden = !isOpen;
  element("search").setAttribute("aria-expanded", String(isOpen));
  if (!isOpen) element("search").removeAttribute("aria-activedescendant");
}

const chosen = () => [...element("found").querySelectorAll('[role="option"]')].findIndex((entry) => entry.getAttribute("aria-selected") === "true");

/** Moves along the items found. */
function choosing(event) {
  const entries = [...element("found").querySelectorAll('[role="option"]')];
  if (event.key === "Escape") {
    element("search").value = "";
    search();
  } else if (event.key === "Enter") choose(Math.max(0, chosen()));
  else if (["ArrowDown", "ArrowUp"].includes(event.key) && entries.length) {
    const to = (chosen() + (event.key === "ArrowDown" ? 1 : entries.length - (chosen() < 0 ? 0 : 1))) % entries.length;
    entries.forEach((entry, place) => entry.setAttribute("aria-selected", String(place === to)));
    entries[to].scrollIntoView({ block: "nearest" });
    element("search").setAttribute("aria-activedescendant", entries[to].id);
  } else return;
  event.preventDefault();
}

/** Keeps one of the items found, and brings it into view. */
function choose(place) {
  if (place >= pointed.found.length) return;
  pin(pointed.found[place]);
  bringIn(state.pinned);
  open(false);
  redraw();
}

function listenToSearch() {
  let timer = 0;
  element("search").addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(search, meta.items > 20000 ? 200 : 0);
  });
  element("search").addEventListener("keydown", choosing);
  element("search").addEventListener("blur", () => open(false));
}

function drawAll() {
  readInks();
  update(false);
  drawScree();
  drawCumulated();
  root.dataset.status = "drawn";
}

function start() {
  state.colour = firstColouring();
  if (meta.items >= 1e5) state.draw = "density";
  readAddress();
  element("overlay").setAttribute("aria-label", `${thousands(meta.items)} items on their axes. Arrow keys move or turn, plus and minus zoom, 0 shows everything. The search field above finds single items.`);
  listenToHands();
  listenToControls();
  listenToSearch();
  ["scree", "cumulated", "histogram"].forEach((id) => listenToChart(element(id)));
  let fitted = element("plot").clientWidth;
  drawAll();
  showDetails(-1);
  if (pointed.first >= 0) pin(pointed.first);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  new ResizeObserver(() => {
    const width = element("plot").clientWidth;
    if (width !== fitted) view.isSet = false;
    fitted = width;
    redraw();
  }).observe(element("plot"));
  let timer = 0;
  addEventListener("resize", () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      view.isSet = false;
      drawAll();
    }, 120);
  });
}

start();
