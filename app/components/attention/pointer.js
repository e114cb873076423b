// Pointer and keys on the overview and on the map: hover, choose, zoom, move.

const ZOOM_FROM = 64, SMALLEST_WINDOW = 8;

function listenOverview(mount) {
  const canvas = mount.overview;
  const at = (event) => mount.plan && tileAt(mount.payload.header, mount.overviewPlan, event.offsetX, event.offsetY);
  canvas.addEventListener("pointermove", (event) => {
    const tile = at(event);
    if (!same(tile, mount.tile)) { mount.tile = tile; paintLeft(mount); }
  });
  canvas.addEventListener("pointerleave", () => { mount.tile = null; paintLeft(mount); });
  canvas.addEventListener("click", (event) => { const tile = at(event); if (tile) choose(mount, tile); });
}

function cellAt(mount, event) {
  const box = mount.base.getBoundingClientRect(), { plan, window: shown } = mount;
  if (!plan) return null;
  const k = Math.floor((event.clientX - box.left - plan.left) / plan.cellW), q = Math.floor((event.clientY - box.top - plan.top) / plan.cellH);
  // beside the cells, a row's label still means the row
  if (q < 0 || q >= plan.nq || k >= plan.nk || event.clientX < box.left) return null;
  return { q: shown.q0 + q, k: k < 0 ? null : shown.k0 + k };
}

function listenMap(mount) {
  const { map } = mount;
  let drag = null;
  map.addEventListener("pointermove", (event) => {
    if (drag) {
      if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) > 4) { drag.moved = true; map.dataset.dragging = ""; }
      if (drag.moved && pannable(mount)) pan(mount, drag, event);
      return;
    }
    const cell = cellAt(mount, event);
    mount.hover = cell && cell.k !== null ? cell : null;
    mount.preview = cell ? cell.q : null;
    mount.following = true;
    soon(mount, "over");
  });
  map.addEventListener("pointerleave", () => { mount.hover = null; mount.preview = null; soon(mount, "over"); });
  map.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    drag = { x: event.clientX, y: event.clientY, from: { ...mount.window }, moved: false };
    if (pannable(mount)) map.setPointerCapture(event.pointerId);
  });
  map.addEventListener("pointerup", (event) => {
    const click = drag && !drag.moved;
    drag = null;
    delete map.dataset.dragging;
    const cell = click && cellAt(mount, event);
    if (cell) choose(mount, { token: cell.q });
  });
  map.addEventListener("pointercancel", () => { drag = null; delete map.dataset.dragging; });
  map.addEventListener("dblclick", () => { if (zoomable(mount)) { mount.window = null; soon(mount, "base"); } });
  map.addEventListener("wheel", (event) => {
    if (!zoomable(mount)) return;
    event.preventDefault();
    zoom(mount, event);
  }, { passive: false });
  map.addEventListener("keydown", (event) => walk(mount, event));
}

function walk(mount, event) {
  const by = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
  const { queries, keys } = mount.payload.header;
  if (by) {
    const from = mount.hover || { q: chosenQuery(mount), k: by[1] ? -Math.min(0, by[1]) : 0 };
    const next = mount.hover ? { q: from.q + by[0], k: from.k + by[1] } : { q: from.q, k: 0 };
    mount.hover = { q: Math.min(queries.length - 1, Math.max(0, next.q)), k: Math.min(keys.length - 1, Math.max(0, next.k)) };
    mount.preview = mount.hover.q;
    mount.following = true;
    follow(mount);
  } else if ((event.key === "Enter" || event.key === " ") && mount.hover) {
    choose(mount, { token: mount.hover.q });
  } else if (event.key === "Escape") {
    mount.hover = null;
    mount.preview = null;
  } else return;
  event.preventDefault();
  paint(mount, "over");
  mount.root.querySelector(".gf-live").textContent = mount.readout.textContent;
}

// the window moves along when the cursor leaves it
function follow(mount) {
  const shown = mount.window;
  for (const [axis, low, high] of [["q", "q0", "q1"], ["k", "k0", "k1"]]) {
    const off = mount.hover[axis] < shown[low] ? mount.hover[axis] - shown[low] : Math.max(0, mount.hover[axis] - shown[high] + 1);
    if (off) { shown[low] += off; shown[high] += off; mount.dirty = "base"; soon(mount, "base"); }
  }
}

const whole = (header) => ({ q0: 0, q1: header.queries.length, k0: 0, k1: header.keys.length });
const zoomable = (mount) => Math.max(mount.payload.header.queries.length, mount.payload.header.keys.length) > ZOOM_FROM;
const pannable = (mount) => zoomable(mount) && !same(mount.window, whole(mount.payload.header));

function zoom(mount, event) {
  const cell = cellAt(mount, event), all = whole(mount.payload.header), now = mount.window;
  if (!cell || cell.k === null) return;
  const factor = event.deltaY < 0 ? 0.8 : 1.25;
  const axis = (low, high, at, most) => {
    const size = Math.min(most, Math.max(Math.min(SMALLEST_WINDOW, most), Math.round((high - low) * factor)));
    const start = Math.round(at - (at - low) * (size / (high - low)));
    const from = Math.min(most - size, Math.max(0, start));
    return [from, from + size];
  };
  const [q0, q1] = axis(now.q0, now.q1, cell.q, all.q1), [k0, k1] = axis(now.k0, now.k1, cell.k, all.k1);
  mount.window = { q0, q1, k0, k1 };
  soon(mount, "base");
}

function pan(mount, drag, event) {
  const all = whole(mount.payload.header), { plan } = mount;
  const axis = (low, high, by, most) => {
    const from = Math.min(most - (high - low), Math.max(0, low - Math.round(by)));
    return [from, from + high - low];
  };
  const [q0, q1] = axis(drag.from.q0, drag.from.q1, (event.clientY - drag.y) / plan.cellH, all.q1);
  const [k0, k1] = axis(drag.from.k0, drag.from.k1, (event.clientX - drag.x) / plan.cellW, all.k1);
  mount.window = { q0, q1, k0, k1 };
  soon(mount, "base");
}
