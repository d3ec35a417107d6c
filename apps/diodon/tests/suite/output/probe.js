// Looks at a page after it was drawn, handles it, and leaves notes in attributes of the root.
(async () => {
  const root = document.documentElement;
  const notes = {};
  const note = (name, value) => { notes[name] = String(value); };
  const get = (id) => document.getElementById(id);
  const wait = () => new Promise((done) => setTimeout(done, 60));
  /** Pixels of a canvas that have a colour, as items, bars and curves do and grids and words do not. */
  const ink = (id) => {
    const canvas = get(id);
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let at = 0; at < data.length; at += 4) {
      const [r, g, b, a] = data.subarray(at, at + 4);
      if (a > 200 && Math.max(r, g, b) - Math.min(r, g, b) > 40) count++;
    }
    return count;
  };
  const points = () => Number(root.dataset.points);
  const choose = async (id, value) => {
    get(id).value = value;
    get(id).dispatchEvent(new Event("change", { bubbles: true }));
    await wait();
  };
  const key = async (name, to = "overlay") => {
    get(to).dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
    await wait();
  };
  const pointer = (kind, x, y, more = {}) => {
    const area = get("overlay").getBoundingClientRect();
    get("overlay").dispatchEvent(new PointerEvent(kind, { clientX: area.left + x, clientY: area.top + y, pointerId: 1, bubbles: true, cancelable: true, ...more }));
  };
  try {
    await wait();
    note("status", root.dataset.status);
    note("points", points());
    /* probe */
  } catch (error) {
    faults.push(`probe: ${error.stack}`);
  }
  note("title", document.title);
  note("faults", faults.join(" | "));
  root.replaceChildren();
  for (const [name, value] of Object.entries(notes)) root.setAttribute(`data-note-${name}`, value);
})();
