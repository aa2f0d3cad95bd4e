package dev.atoll.server.it;

/**
 * A program of the kind that people use, and how it fetches something that says hello. {@code $1}
 * is an address without a path, {@code $2} the host in it.
 */
enum NetworkClient {
  CURL("curl -sS --fail $1/"),
  WGET("wget -qO- $1/"),
  GIT("rm -rf /tmp/clone; git clone -q $1/repo.git /tmp/clone && cat /tmp/clone/greeting"),
  APT(
      """
      echo "deb [trusted=yes] $1/apt ./" > /tmp/demo.list
      set -- -qq -o Dir::Etc::sourcelist=/tmp/demo.list -o Dir::Etc::sourceparts=- -o Acquire::Retries=0 -o APT::Update::Error-Mode=any
      rm -rf /var/lib/apt/lists/*
      apt-get "$@" update && apt-get "$@" install --reinstall -y reefdemo > /dev/null && reefdemo
      """),
  PIP(
      """
      pip install -q --force-reinstall --no-cache-dir --retries 2 --index-url $1/simple/ --trusted-host $2 reefdemo &&
      python3 -c 'import reefdemo; print(reefdemo.answer)'
      """),
  NPM(
      """
      rm -rf /tmp/npm ~/.npm; mkdir /tmp/npm; cd /tmp/npm
      npm install --silent --no-audit --no-fund --fetch-retries=0 --registry=$1/npm/ reefdemo > /dev/null &&
      node -p 'require("reefdemo")'
      """),
  PYTHON_URLLIB(
      "python3 -c 'import sys, urllib.request as u; print(u.urlopen(sys.argv[1]).read())' $1/"),
  PYTHON_REQUESTS(
      "python3 -c 'import sys, requests; r = requests.get(sys.argv[1]); r.raise_for_status(); print(r.text)' $1/"),
  PYTHON_HTTPX(
      "python3 -c 'import sys, httpx; print(httpx.get(sys.argv[1]).raise_for_status().text)' $1/"),
  PYTHON_AIOHTTP(
      """
      python3 -c '
      import aiohttp, asyncio, sys
      async def main():
          async with aiohttp.ClientSession(raise_for_status=True) as session:
              async with session.get(sys.argv[1]) as answer:
                  print(await answer.text())
      asyncio.run(main())' $1/
      """),
  NODE_FETCH(
      "node -e 'fetch(process.argv[1]).then(r => r.ok ? r.text() : Promise.reject(r.status)).then(console.log)' $1/"),
  NODE_AXIOS(
      "NODE_PATH=/usr/share/nodejs node -e 'require(\"axios\").get(process.argv[1]).then(r => console.log(r.data))' $1/"),
  JAVA("java -Xshare:auto -XX:TieredStopAtLevel=1 -cp /tmp Fetch $1/"),
  GO(
      """
      cd /tmp; export GOPATH=/tmp/gopath GOFLAGS=-modcacherw GONOSUMDB=* GOPROXY=$1/go
      go clean -modcache && go mod download reef.test/demo@v1.0.0 && cat /tmp/gopath/pkg/mod/reef.test/demo@v1.0.0/greeting
      """);

  private final String script;

  NetworkClient(String script) {
    this.script = script;
  }

  /** For a shell. */
  String script() {
    return script.strip();
  }

  /** Only root installs Debian's packages. */
  String user() {
    return this == APT ? "root" : "sandbox";
  }
}
