# Installs the packages that the arguments name, then tells which are new: one line "+ name@version" each.
command -v npm > /dev/null || { echo "npm: not found" >&2; exit 127; }
mkdir -p node_modules
before=node_modules/.atoll-before
cp node_modules/.package-lock.json "$before" 2> /dev/null
npm install --prefix . --no-audit --no-fund --no-progress -- "$@"
code=$?
[ $code = 0 ] && node -e '
  const fs = require("fs");
  const read = (file) => { try { return JSON.parse(fs.readFileSync(file)).packages || {}; } catch { return {}; } };
  const [before, ...asked] = process.argv.slice(1);
  const was = read(before);
  const names = asked.map((one) => one.replace(/(.)@.*/, "$1"));
  for (const [path, { version }] of Object.entries(read("node_modules/.package-lock.json"))) {
    const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
    const fresh = !was[path] || was[path].version !== version;
    if (fresh || (names.includes(name) && path === "node_modules/" + name)) console.log("+ " + name + "@" + version);
  }' "$before" "$@"
rm -f "$before"
exit $code
