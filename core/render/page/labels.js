// Places for texts.

/** Moves texts of the margin apart, top down, keeping those with the highest `rank` where not all fit. */
export function spread(texts, height, line) {
  const room = Math.max(1, Math.floor(height / line));
  const kept = [...texts].sort((a, b) => b.rank - a.rank).slice(0, room).sort((a, b) => a.at[1] - b.at[1])
    .map((text) => ({ ...text, y: Math.max(0, Math.min(height, text.at[1])) }));
  for (let i = 1; i < kept.length; i += 1) kept[i].y = Math.max(kept[i].y, kept[i - 1].y + line);
  for (let i = kept.length - 1, last = height; i >= 0; i -= 1) {
    kept[i].y = Math.min(kept[i].y, last);
    last = kept[i].y - line;
  }
  return kept;
}

const overlap = (a, b) => a.left < b.left + b.width && b.left < a.left + a.width && a.top < b.top + b.height && b.top < a.top + a.height;

/** Those whose box covers none before it, and none of `others`. */
export function placed(texts, others = []) {
  const kept = [];
  const free = (box) => !others.some((other) => overlap(other, box)) && !kept.some((other) => overlap(other.box, box));
  for (const text of texts) if (free(text.box)) kept.push(text);
  return kept;
}

/** Texts {at, start, text, rank} of level lines that end at `at` and begin at `start`: just above the line or just below
    it, at its right end or as far left as it takes to cover no text and none of `points`, the highest ranks first. The
    first two cover the fewest points there are; others that find no free place are left out. */
export function placedOnLines(texts, size, widthOf, line, points) {
  const kept = [];
  for (const one of [...texts].sort((a, b) => b.rank - a.rank)) {
    const width = widthOf(one.text), right = Math.min(one.at[0], size.width) - 4, places = [];
    for (let left = right - width; left >= 0 && (left >= one.start || left === right - width); left -= 12) {
      for (const top of [one.at[1] - line - 1, one.at[1] + 2]) places.push({ left, top, width, height: line });
    }
    const covered = (place) => points.filter((point) => overlap(point, place)).length;
    const [best] = places.filter((place) => place.top >= 0 && place.top + line <= size.height && !kept.some((other) => overlap(other.box, place)))
      .map((box) => ({ box, count: covered(box) })).sort((a, b) => a.count - b.count);
    if (best && (best.count === 0 || kept.length < 2)) kept.push({ ...one, box: best.box });
  }
  return kept;
}

/** Texts {corners, slope, text, outer} on sloped lines: as far down as there is room, each over no other and no box of `others`, and
    over none of `points` unless there is no other place for an outer one. */
export function placedAlong(texts, size, widthOf, others, points) {
  const taken = [...others], kept = [];
  const placeOf = (one, avoided) => {
    const [[ax, ay], [bx, by]] = one.corners, length = widthOf(one.text);
    const across = Math.cos(one.slope), up = Math.sin(one.slope);
    const whole = Math.hypot(bx - ax, by - ay);
    for (let start = 4; start + length < whole; start += 6) {
      const [px, py] = [ax + ((bx - ax) * start) / whole, ay + ((by - ay) * start) / whole];
      if (px < 4 || py > size.height - 4 || py - length * up < 4 || px + length * across > size.width - 4) continue;
      const boxes = [];
      for (let at = 0; at <= length; at += 10) boxes.push({ left: px + at * across - 8 * up - 5, top: py - at * up - 8 * across - 6, width: 10, height: 12 });
      if (!boxes.some((box) => avoided.some((other) => overlap(box, other)))) return { at: [px, py], boxes };
    }
    return null;
  };
  for (const one of texts) {
    const place = placeOf(one, [...taken, ...points]) ?? (one.outer ? placeOf(one, taken) : null);
    if (!place) continue;
    taken.push(...place.boxes);
    kept.push({ ...one, ...place });
  }
  return kept;
}
