# Installs the packages that the arguments name; fetches the lists first when there are none, or none of the last hour.
command -v apt-get > /dev/null || { echo "apt-get: not found" >&2; exit 127; }
if [ -z "$(find /var/lib/apt/lists -maxdepth 1 -name '*Packages*' -mmin -60 2> /dev/null | head -n 1)" ]; then
  apt-get update -q || exit
fi
exec apt-get install -q -y --no-install-recommends -o Dpkg::Use-Pty=0 -o Dpkg::Options::=--force-confold -- "$@"
