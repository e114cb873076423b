// The twenty likeliest tokens and the rest; together always the whole distribution.

const SHOWN = 20;

function barRow(holder, tag) {
  const element = make(tag, "gf-bar"), name = make("bdi", "gf-bar-name"), track = make("span", "gf-bar-track");
  const ghost = make("i", "gf-bar-ghost"), final = make("i", "gf-bar-final"), share = make("span", "gf-bar-share"), note = make("span", "gf-bar-tag");
  const tick = make("i", "gf-bar-tick");
  track.append(ghost, final, tick);
  element.append(name, track, share, note);
  holder.append(element);
  return { element, name, ghost, final, tick, share, note, id: -1, said: {} };
}

function say(row, part, text) {
  if (row.said[part] === text) return;
  row.said[part] = text;
  row[part].textContent = text;
}

// ghost: the share before the cut; where the final bar covers it, a tick says where it ended
function lengths(row, before, after, scale) {
  row.ghost.style.transform = `scaleX(${before * scale})`;
  row.final.style.transform = `scaleX(${after * scale})`;
  row.tick.style.transform = `translateX(${after > before * 1.001 ? 100 * before * scale : -1}%)`;
}

function makeBars(holder, onChoose) {
  let rows = [], rest = null;
  return {
    fill(order, nameOf, words) {
      holder.replaceChildren();
      rows = Array.from(order.subarray(0, SHOWN), (id) => {
        const row = barRow(holder, "button");
        Object.assign(row.element, { type: "button", title: `${nameOf(id)} #${id} · ${words.instead}` });
        row.id = id;
        row.element.dataset.id = id;
        row.element.addEventListener("click", () => onChoose(id));
        say(row, "name", nameOf(id));
        return row;
      });
      rest = order.length > SHOWN ? barRow(holder, "div") : null;
      if (rest) rest.element.classList.add("gf-bar-rest");
    },
    // result of distribution(); landed and drawn are ids or null
    draw(result, order, words, landed, drawn, nameOf) {
      const { tempered, probs, kept, nKept } = result, n = order.length;
      let shown = 0, shownBefore = 0, most = 1e-12;
      for (const { id } of rows) {
        shown += probs[id];
        shownBefore += tempered[id];
        most = Math.max(most, probs[id], tempered[id]);
      }
      const restShare = Math.max(0, 1 - shown), restBefore = Math.max(0, 1 - shownBefore);
      const scale = 1 / Math.min(1, Math.max(most, rest ? restShare : 0, rest ? restBefore : 0));
      rows.forEach((row, r) => {
        const { id, element } = row, cut = !kept[id];
        lengths(row, tempered[id], probs[id], scale);
        element.toggleAttribute("data-cut", cut);
        element.toggleAttribute("data-drawn", id === drawn);
        element.toggleAttribute("data-landed", id === landed);
        element.toggleAttribute("data-cutline", r === nKept - 1 && nKept < n);
        say(row, "share", cut ? words.cut : percent(probs[id]));
        const notes = [id === drawn ? words.drawn : "", r === 0 ? words.likeliest : ""].filter((each) => each);
        say(row, "note", notes.length ? notes.join(" · ") : r === nKept - 1 && nKept < n ? words.cut_line : "");
      });
      if (!rest) return;
      const more = n - rows.length, keptHere = Math.max(0, nKept - rows.length), template = keptHere && keptHere < more ? words.rest_kept : words.rest;
      say(rest, "name", filled(template, { n: more.toLocaleString(), kept: keptHere.toLocaleString() }));
      lengths(rest, restBefore, keptHere ? restShare : 0, scale);
      rest.element.toggleAttribute("data-cut", !keptHere);
      const has = (id) => id !== null && id !== undefined && !rows.some((row) => row.id === id);
      rest.element.toggleAttribute("data-landed", has(landed));
      rest.element.toggleAttribute("data-drawn", has(drawn));
      say(rest, "share", keptHere ? percent(restShare) : words.cut);
      say(rest, "note", has(drawn) ? `${words.drawn}: ${nameOf(drawn)}` : "");
    },
  };
}
