// Figures of the axes and of the quality: bars of eigenvalues, curves of shares, a histogram.

/** A frame with marks up its left side: says where a value lies. */
function chartFrame(canvas, low, high, format) {
  const drawing = sheet(canvas);
  const { context, width, height } = drawing;
  const box = { left: 62, top: 12, right: width - 24, bottom: height - 40 };
  const up = (value) => box.bottom - ((value - low) / (high - low || 1)) * (box.bottom - box.top);
  for (const { value, label } of marks(low, high, (box.bottom - box.top) / 45)) {
    const y = crisp(up(value));
    line(context, box.left, y, box.right, y, value === 0 ? inks.axis : inks.grid);
    words(context, format ? format(value) : label, box.left - 8, y, { align: "right" });
  }
  return { ...drawing, box, up };
}

/** Numbers of bars that are written below them, so that they do not touch. */
const everyFew = (count, room) => [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((by) => (count / by) * 30 <= room) ?? count;

/** Eigenvalues of the axes, then the negative ones that are known. */
function drawScree() {
  const negative = meta.negative.slice(0, Math.max(10, meta.eigenvalues.length)).reverse();
  const values = [...meta.eigenvalues, ...negative];
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  if (!values.length || high === low) return nothing(element("scree"), "There is no eigenvalue to show.");
  const room = (high - low) * 0.03;
  const { context, box, up, height } = chartFrame(element("scree"), low < 0 ? low - room : 0, high + room);
  const GAP = negative.length && meta.eigenvalues.length ? 26 : 0;
  const width = Math.min(44, (box.right - box.left - GAP - 12) / values.length);
  const bars = [];
  values.forEach((value, i) => {
    const isNegative = i >= meta.eigenvalues.length;
    const x = box.left + 6 + i * width + (isNegative ? GAP : 0);
    const thick = Math.max(0.6, width - (width > 4 ? Math.min(6, width * 0.22) : 0));
    context.fillStyle = isNegative || value < 0 ? inks.minus : inks.bar;
    const top = Math.min(up(value), up(0));
    context.fillRect(x + (width - thick) / 2, top, thick, Math.max(1, Math.abs(up(value) - up(0))));
    bars.push({ from: x, to: x + width, text: isNegative ? `negative: ${short(value)}` : `axis ${i + 1}: ${short(value)}` });
  });
  const by = everyFew(meta.eigenvalues.length, meta.eigenvalues.length * width);
  meta.eigenvalues.forEach((_, i) => {
    if (i === 0 || (i + 1) % by === 0) words(context, String(i + 1), bars[i].from + width / 2, box.bottom + 13, { align: "center" });
  });
  const middle = (box.left + box.right) / 2;
  if (!negative.length) words(context, "axis", box.left + 6 + (meta.eigenvalues.length * width) / 2, height - 9, { align: "center" });
  else {
    words(context, "\u22ef", box.left + 6 + meta.eigenvalues.length * width + GAP / 2, up(0) - 9, { align: "center" });
    const rest = meta.negatives > negative.length ? `the ${negative.length} lowest of ${thousands(meta.negatives)}` : thousands(meta.negatives);
    words(context, `axis, then negative eigenvalues: ${rest}${meta.complete ? "" : " that were met"}`, middle, height - 9, { align: "center" });
  }
  element("scree").bars = bars;
}

/** Shares of the axes summed up, for each denominator that is known. */
function drawCumulated() {
  const looks = [[inks.bar, [], "solid"], [inks.third, [9, 6], "dashed"], [inks.minus, [2, 6], "dotted"]];
  const keys = element("wholes");
  keys.replaceChildren();
  const curves = meta.wholes.map(({ name, sum }, w) => {
    const [colour, dashes, style] = looks[w];
    keys.append(sum
      ? make("span", {}, make("i", { style: `border-color:${colour};border-top-style:${style}` }), `share of ${name}`)
      : make("span", {}, `share of ${name}: not available${w > 0 && !meta.complete ? ", needs the whole spectrum" : ""}`));
    let soFar = 0;
    return sum ? { colour, dashes, shares: meta.eigenvalues.map((value) => (soFar += value) / sum) } : null;
  }).filter(Boolean);
  const count = meta.eigenvalues.length;
  if (!curves.length || !count) return nothing(element("cumulated"), "There is no share to show.");
  const most = Math.max(1, ...curves.flatMap(({ shares }) => shares));
  const { context, box, up, height } = chartFrame(element("cumulated"), 0, most * 1.02, (value) => percent(value, 0));
  const across = (i) => box.left + ((i + 0.5) / count) * (box.right - box.left);
  const by = everyFew(count, box.right - box.left);
  for (let i = 0; i < count; i++) if (i === 0 || (i + 1) % by === 0) words(context, String(i + 1), across(i), box.bottom + 13, { align: "center" });
  words(context, "axis", (box.left + box.right) / 2, height - 9, { align: "center" });
  for (const { colour, dashes, shares } of curves) {
    context.setLineDash(dashes);
    context.strokeStyle = context.fillStyle = colour;
    context.lineWidth = 2;
    context.beginPath();
    shares.forEach((share, i) => context.lineTo(across(i), up(share)));
    context.stroke();
    context.setLineDash([]);
    shares.forEach((share, i) => {
      if (count > 60) return;
      context.beginPath();
      context.arc(across(i), up(share), 3, 0, 7);
      context.fill();
    });
  }
  const half = (box.right - box.left) / count / 2;
  const told = (i) => meta.wholes.filter(({ sum }) => sum).map(({ name }, c) => `${percent(curves[c].shares[i], 2)} of ${name}`);
  element("cumulated").bars = meta.eigenvalues.map((_, i) => ({ from: across(i) - half, to: across(i) + half, text: `axes 1 to ${i + 1}: ${told(i).join("; ")}` }));
}

const BINS = 40;

/** How many items have which quality. */
function drawHistogram() {
  if (!meta.items || !meta.shown) return nothing(element("histogram"), "There is no quality to show.");
  const shares = quality(state.over === "all" ? allAxes() : shownAxes());
  const bins = new Uint32Array(BINS + 1);
  const known = shares.filter((share) => !Number.isNaN(share)).sort();
  for (const share of known) bins[share > 1.000001 ? BINS : Math.min(BINS - 1, Math.floor(share * BINS))]++;
  const above = bins[BINS];
  const most = Math.max(1, ...bins);
  const { context, box, up, height } = chartFrame(element("histogram"), 0, most * 1.03, (value) => (Number.isInteger(value) ? thousands(value) : ""));
  const slots = BINS + (above ? 2 : 0);
  const width = (box.right - box.left) / slots;
  const bars = [];
  bins.forEach((count, b) => {
    if (b === BINS && !above) return;
    const x = box.left + (b === BINS ? b + 1 : b) * width;
    context.fillStyle = rgb(rampColour(b / (BINS - 1)));
    if (count) context.fillRect(x + 0.5, Math.min(up(count), up(0) - 1), width - 1, Math.max(1, up(0) - up(count)));
    const range = b === BINS ? "above 100\u2009%" : `${percent(b / BINS)} to ${percent((b + 1) / BINS)}`;
    bars.push({ from: x, to: x + width, text: `${range}: ${thousands(count)} items` });
  });
  element("histogram").bars = bars;
  for (let tenth = 0; tenth <= 10; tenth += 2) {
    words(context, percent(tenth / 10, 0), box.left + (tenth / 10) * BINS * width, box.bottom + 13, { align: "center" });
  }
  if (above) words(context, "more", box.left + (BINS + 1.5) * width, box.bottom + 13, { align: "center" });
  words(context, "quality of an item", (box.left + box.right) / 2, height - 9, { align: "center" });
  element("qualities").textContent = qualityText(known, above);
}

function qualityText(sorted, above) {
  const without = meta.items - sorted.length;
  const at = (share) => percent(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]);
  const texts = sorted.length ? [`Half of the items have a quality of ${at(0.5)} or more, nine tenths of ${at(0.1)} or more.`] : [];
  if (above) texts.push(`${thousands(above)} above 100\u2009%: negative eigenvalues take off what the axes show too much.`);
  if (without) texts.push(`${thousands(without)} without a quality, since their squared distance from the centre is not positive.`);
  return texts.join(" ");
}

function nothing(canvas, text) {
  const { context, width, height } = sheet(canvas);
  words(context, text, width / 2, height / 2, { align: "center" });
  canvas.bars = [];
}

/** Tells the value of the bar under the pointer. */
function listenToChart(canvas) {
  const tip = make("div", { class: "bar-tip", hidden: "" });
  canvas.after(tip);
  canvas.addEventListener("pointerleave", () => (tip.hidden = true));
  canvas.addEventListener("pointermove", (event) => {
    const bar = (canvas.bars ?? []).find(({ from, to }) => event.offsetX >= from && event.offsetX < to);
    tip.hidden = !bar;
    if (!bar) return;
    tip.textContent = bar.text;
    const most = canvas.clientWidth - tip.offsetWidth;
    tip.style.left = `${canvas.offsetLeft + Math.max(0, Math.min(most, event.offsetX + 14))}px`;
    tip.style.top = `${canvas.offsetTop + Math.max(0, event.offsetY - 34)}px`;
  });
}
