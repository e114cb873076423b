// The twenty likeliest tokens and the rest; together always the whole distribution.

const SHOWN = 20;
// what the full width of a bar can stand for: bars grow and shrink under the finger, until the next step fits better
const SCALES = [0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1];

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
      const count = Math.min(SHOWN, order.length);
      // the rows stay, so that the one in focus keeps it from step to step
      if (rows.length !== count || !rest !== order.length <= SHOWN) {
        holder.replaceChildren();
        rows = Array.from({ length: count }, () => {
          const row = barRow(holder, "button");
          row.element.type = "button";
          row.element.addEventListener("click", () => onChoose(row.id));
          return row;
        });
        rest = order.length > SHOWN ? barRow(holder, "div") : null;
        if (rest) rest.element.classList.add("gf-bar-rest");
      }
      rows.forEach((row, r) => {
        row.id = order[r];
        row.element.dataset.id = row.id;
        row.element.title = `${nameOf(row.id)} #${row.id} · ${words.instead}`;
        say(row, "name", nameOf(row.id));
      });
    },
    // result of distribution(); landed and drawn are ids or null
    draw(result, order, words, landed, drawn, nameOf) {
      const { tempered, probs, kept, nKept } = result, n = order.length;
      let shown = 0, shownBefore = 0, most = 0;
      for (const { id } of rows) {
        shown += probs[id];
        shownBefore += tempered[id];
        most = Math.max(most, probs[id], tempered[id]);
      }
      const restShare = Math.max(0, 1 - shown), restBefore = Math.max(0, 1 - shownBefore);
      const limit = SCALES.find((each) => most <= each * 1.0001) || 1, scale = 1 / limit;
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
      if (!rest) return limit;
      const more = n - rows.length, keptHere = Math.max(0, nKept - rows.length);
      say(rest, "name", filled(words.rest, { n: more.toLocaleString() }));
      lengths(rest, Math.min(1.05 * limit, restBefore), keptHere ? Math.min(1.05 * limit, restShare) : 0, scale);
      rest.element.toggleAttribute("data-torn", Math.max(restBefore, keptHere ? restShare : 0) > limit * 1.0001);
      rest.element.toggleAttribute("data-cut", !keptHere);
      const has = (id) => id !== null && id !== undefined && !rows.some((row) => row.id === id);
      rest.element.toggleAttribute("data-landed", has(landed));
      rest.element.toggleAttribute("data-drawn", has(drawn));
      say(rest, "share", keptHere ? percent(restShare) : words.cut);
      const partly = keptHere && keptHere < more ? filled(words.rest_kept, { kept: keptHere.toLocaleString() }) : "";
      say(rest, "note", has(drawn) ? `${words.drawn}: ${nameOf(drawn)}` : partly);
      return limit;
    },
  };
}
