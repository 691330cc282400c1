/* Search without a server: every section of every page is in search-index.js
   as [page, heading, address, text]. All words must be there; words in
   headings count more. */
(function () {
  "use strict";
  var query = document.getElementById("query"), found = document.getElementById("found"),
    places = document.getElementById("places"), index = window.BNRE_INDEX;

  function score(entry, words) {
    var head = (entry[0] + " " + entry[1]).toLowerCase(), text = entry[3].toLowerCase(), sum = 0;
    for (var i = 0; i < words.length; i++) {
      var inHead = head.indexOf(words[i]) >= 0, times = text.split(words[i]).length - 1;
      if (!inHead && times === 0) return 0;
      sum += (entry[1].toLowerCase() === words[i] ? 50 : 0) + (inHead ? 10 : 0) + Math.min(times, 5);
    }
    return sum;
  }

  function snippet(text, words) {
    var at = text.toLowerCase().indexOf(words[0]), from = Math.max(0, at - 40), out = document.createElement("small");
    if (at < 0) { out.textContent = text.slice(0, 100); return out; }
    out.append((from > 0 ? "... " : "") + text.slice(from, at));
    var mark = document.createElement("mark");
    mark.textContent = text.slice(at, at + words[0].length);
    out.append(mark, text.slice(at + words[0].length, at + 80) + " ...");
    return out;
  }

  function search() {
    var words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
    found.textContent = "";
    places.hidden = words.length > 0;
    if (words.length === 0) return;
    var hits = [];
    index.forEach(function (entry) {
      var s = score(entry, words);
      if (s > 0) hits.push([s, entry]);
    });
    hits.sort(function (a, b) { return b[0] - a[0]; });
    if (hits.length === 0) found.textContent = "Nothing found.";
    hits.slice(0, 20).forEach(function (hit) {
      var entry = hit[1], link = document.createElement("a"), title = document.createElement("b");
      link.href = entry[2];
      title.textContent = entry[1] === "" || entry[1] === entry[0] ? entry[0] : entry[0] + ": " + entry[1];
      link.append(title, snippet(entry[3], words));
      found.append(link);
    });
  }

  query.addEventListener("input", search);
  document.addEventListener("keydown", function (event) {
    if (event.key === "/" && document.activeElement !== query) { event.preventDefault(); query.focus(); }
  });
  var asked = /[?&]q=([^&]*)/.exec(location.search);
  if (asked) { query.value = decodeURIComponent(asked[1].replace(/\+/g, " ")); search(); }
})();
