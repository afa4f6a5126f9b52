#!/bin/bash
# Tries an installer on a bare system: a minimal Debian without Python, compiler and network.
#
#     sudo packaging/try_installer.sh dist/disconfirm_VERSION_amd64.deb
#     sudo packaging/try_installer.sh --release trixie --out /tmp/tried DEB
#
# Installs the .deb with nothing but what it declares, looks for libraries that are missing all the same, cuts the
# network, and as an ordinary user runs `disconfirm selftest`, the command line (import, search, a question, evidence,
# reports) and the window, with real keys: the sample case is opened, a passage accepted and rated, the report exported
# in three forms, the case verified. Then the package is purged, and nothing but the person's own files may be left.
# Needs root, mmdebstrap, and a Debian mirror.
#
#   --release NAME   bookworm (the default) or trixie, or whatever the mirror has
#   --mirror URL     a mirror of Debian; default: the one that apt uses here
#   --out FOLDER     where the log, figures and screenshots go (default: ./try-RELEASE)
#   --root FOLDER    a minimal root that was made before, as a tar file; made there where it is missing
#   --archive FILE   the .tar.gz too: it runs from a stick, with its data beside it, and from a medium that is read-only
#   --keep           leave the root in place afterwards
set -euo pipefail

release=bookworm mirror='' out='' cached='' keep='' archive='' deb=''
while [ $# -gt 0 ]; do
    case $1 in
        --release) release=$2; shift ;;
        --mirror) mirror=$2; shift ;;
        --out) out=$2; shift ;;
        --root) cached=$2; shift ;;
        --archive) archive=$(realpath "$2"); shift ;;
        --keep) keep=yes ;;
        -h | --help) sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "$0"; exit 0 ;;
        -*) echo "unknown option $1" >&2; exit 2 ;;
        *) deb=$1 ;;
    esac
    shift
done
here=$(cd "$(dirname "$0")" && pwd)
[ -f "$deb" ] || { echo "Which .deb? Make one with: python3 packaging/build.py" >&2; exit 2; }
[ "$(id -u)" = 0 ] || { echo "This needs root: it makes a root folder of its own and a namespace." >&2; exit 2; }
command -v mmdebstrap >/dev/null || { echo "mmdebstrap is missing: apt-get install mmdebstrap" >&2; exit 2; }
deb=$(realpath "$deb")
[ -n "$mirror" ] || mirror=$(apt-get indextargets --format '$(ORIGIN) $(REPO_URI)' 'Created-By: Packages' |
    awk '$1 == "Debian" && $2 !~ /security/ {print $2; exit}')
out=$(realpath -m "${out:-try-$release}")

# Mounts of this script are nobody else's, and gone with it.
if [ -z "${TRY_INSTALLER_INSIDE:-}" ]; then
    export TRY_INSTALLER_INSIDE=yes
    options=(--release "$release" --mirror "$mirror" --out "$out")
    [ -z "$cached" ] || options+=(--root "$cached")
    [ -z "$keep" ] || options+=(--keep)
    [ -z "$archive" ] || options+=(--archive "$archive")
    exec unshare --mount --propagation private "$0" "${options[@]}" "$deb"
fi

mkdir -p "$out"
root=$(mktemp -d /var/tmp/bare-root.XXXXXX)
clean() {
    umount -R "$root/srv/stick" "$root/proc" "$root/dev" "$root/tmp" 2>/dev/null || true
    if [ -n "$keep" ]; then echo "The root is in $root"; else rm -rf --one-file-system "$root"; fi
}
trap clean EXIT

step() { printf '\n== %s\n' "$*"; }
fail() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/ LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
# As the analyst, in a namespace that has no network interface but an idle loopback.
alone() {
    unshare --net chroot --userspec=analyst:analyst "$root" env -i PATH=/usr/bin:/bin HOME=/srv/analyst LANG=C.UTF-8 \
        XDG_RUNTIME_DIR=/tmp/runtime "$@"
}
figure() { printf '%-42s %s\n' "$1" "$2" | tee -a "$out/figures.txt"; }
: > "$out/figures.txt"

step "A minimal $release"
if [ -n "$cached" ] && [ -f "$cached" ]; then
    tar -C "$root" -xf "$cached"
else
    key=/usr/share/keyrings/debian-archive-keyring.gpg
    mmdebstrap --quiet --mode=root --variant=minbase "$release" "$root" "deb [signed-by=$key] $mirror $release main"
    [ -z "$cached" ] || tar -C "$root" -cf "$cached" .
fi
cp /etc/resolv.conf "$root/etc/resolv.conf"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --make-rslave "$root/dev"
mount -t tmpfs tmpfs "$root/tmp"
chmod 1777 "$root/tmp"
mkdir -m 1777 "$root/tmp/.X11-unix"
inside useradd --base-dir /srv --create-home --shell /bin/sh analyst
mkdir -m 700 "$root/tmp/runtime" && inside chown analyst:analyst /tmp/runtime
inside apt-get -qq update
figure "packages before" "$(inside dpkg-query -f '.\n' -W | wc -l)"

step "Installation, with nothing but what the package declares"
cp "$deb" "$root/tmp/disconfirm.deb"
inside apt-get -qq -y --no-install-recommends --download-only install /tmp/disconfirm.deb > "$out/apt.log" 2>&1
began=$(date +%s)
inside apt-get -qq -y --no-install-recommends install /tmp/disconfirm.deb >> "$out/apt.log" 2>&1
figure "installation with all dependencies" "$(($(date +%s) - began)) s"
moment() { date -d "$(awk -v words="$1" 'index($0, words) {print $1 " " $2}' "$root/var/log/dpkg.log" | tail -1)" +%s; }
figure "of it unpacking" "$(($(moment 'status unpacked disconfirm') - $(moment 'install disconfirm'))) s"
figure "package" "$(stat -c %s "$deb" | numfmt --to=si) bytes"
figure "installed" "$(du -sm "$root/opt/disconfirm" | cut -f1) MiB in $(find "$root/opt/disconfirm" -type f | wc -l) files"
figure "packages that it brought" "$(($(inside dpkg-query -f '.\n' -W | wc -l) - $(awk '/before/ {print $3}' "$out/figures.txt") - 1))"
for word in python3 python cc gcc g++ c++ pip pip3 perl6 tclsh; do
    if inside sh -c "command -v $word" >/dev/null; then fail "$word is in the root, so nothing is proven"; fi
done
echo "No Python, no compiler, no pip."

step "Libraries that the program would look for in vain"
find "$root/opt/disconfirm" -name '*.so*' -type f | sed "s|^$root||" | while read -r library; do
    inside env LD_LIBRARY_PATH=/opt/disconfirm/_internal ldd "$library" 2>/dev/null | awk -v of="$library" '/not found/ {print of ": " $1}'
done | tee "$out/missing-libraries.txt"
[ ! -s "$out/missing-libraries.txt" ] || fail "the package does not declare what it needs"

step "No network, an ordinary user: the self-test"
cat > "$root/tmp/selftest.sh" <<'INNER'
set -eu
interfaces=$(tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' ')
[ "$interfaces" = lo ] || { echo "there are interfaces: $interfaces"; exit 1; }
[ "$(id -u)" != 0 ]
cd
disconfirm --version
disconfirm selftest
INNER
alone sh /tmp/selftest.sh 2>&1 | tee "$out/selftest.txt" || fail "the self-test"
[ -z "$(find "$root/tmp" -name 'disconfirm-selftest-*')" ] || fail "the self-test left something behind"

step "A case on the command line: import, search, question, evidence, report"
cat > "$root/tmp/commands.sh" <<'INNER'
set -eu
said() { grep -q -e "$1" "$2" || { echo "\"$1\" is not in $2:"; cat "$2"; exit 1; }; }
mkdir "$HOME/commands"
cd "$HOME/commands"
disconfirm demo sample --no-window > demo.txt
said 'Every original, text, quote and log entry verifies' demo.txt
disconfirm new pump.disconfirm --title 'Why did pump two stop?'
disconfirm add pump.disconfirm /opt/disconfirm/_internal/resources/sample_case/documents | tee add.txt
said '16 added' add.txt
disconfirm ocr pump.disconfirm || [ $? = 1 ]  # a page of the sample is hard to read, and it says so
disconfirm search pump.disconfirm 'maintenance of pump 2' -k 3 | tee search.txt
said pump-hall-record.pdf search.txt
disconfirm ask pump.disconfirm 'When was the standby pump brought into service?' | tee ask.txt
said '03:55' ask.txt
disconfirm hypothesis pump.disconfirm add 'The pump failed because it was not maintained.'
disconfirm hypothesis pump.disconfirm add 'Somebody broke in and damaged the pump.'
disconfirm propose pump.disconfirm > propose.txt
disconfirm accept pump.disconfirm P1 P4 --rate
disconfirm rate pump.disconfirm E1 H2 I
for form in html pdf docx xlsx pack.html; do disconfirm report pump.disconfirm -o "pump.$form"; done
disconfirm verify pump.disconfirm
INNER
began=$(date +%s)
alone sh /tmp/commands.sh > "$out/commands.txt" 2> "$root/tmp/progress.txt" || {
    cat "$root/tmp/progress.txt" "$out/commands.txt"
    fail "the command line"
}
figure "a case on the command line" "$(($(date +%s) - began)) s"

if [ -n "$archive" ]; then
    step "From a stick: the person's files beside the program"
    mkdir "$root/srv/stick"
    tar -C "$root/srv/stick" -xf "$archive"
    program=$(cd "$root" && find srv/stick -maxdepth 2 -name disconfirm -type f | head -1)
    [ -n "$program" ] || fail "there is no program in the archive"
    folder=$(dirname "$program")
    touch "$root/$folder/portable"
    inside chown -R analyst:analyst /srv/stick
    alone "/$program" --version > /dev/null
    echo '{}' > "$root/$folder/disconfirm-data/settings.json" 2>/dev/null || fail "there is no folder for data beside the program"
    alone "/$program" selftest 2>&1 | tee "$out/stick.txt" || fail "the self-test from a stick"
    [ ! -e "$root/srv/analyst/.local/share/disconfirm" ] || fail "it wrote into the usual folder"
    step "From a medium that cannot be written to"
    mount --bind "$root/srv/stick" "$root/srv/stick"
    mount -o remount,bind,ro "$root/srv/stick"
    alone "/$program" selftest 2>&1 | tee "$out/read-only.txt" | tail -1 || fail "the self-test from a read-only medium"
    umount "$root/srv/stick"
    rm -rf "$root/srv/stick"
fi

step "A screen, a window manager, and keys"
# Only now: they bring libraries along that could hide one that the package forgot to declare.
inside apt-get -qq -y --no-install-recommends install xvfb xdotool matchbox-window-manager >> "$out/apt.log" 2>&1
if inside sh -c 'command -v python3' >/dev/null; then fail "python3 came with the screen"; fi
install -m 755 "$here/try_window.sh" "$root/tmp/window.sh"
mkdir -m 777 "$root/tmp/seen"
alone sh /tmp/window.sh 2>&1 | tee "$out/window.txt" || window=failed
for picture in "$root"/tmp/seen/*.xwd; do
    [ -e "$picture" ] || continue
    name=$(basename "$picture" .xwd)
    convert "xwd:$picture" "$out/$name.png" 2>/dev/null || cp "$picture" "$out"  # ImageMagick
done
cp "$root"/tmp/seen/*.txt "$out" 2>/dev/null || true
[ -z "${window:-}" ] || fail "the window; its pictures are in $out"

step "Removal: the person's files stay, all else is gone"
began=$(date +%s)
inside dpkg --purge disconfirm
figure "removal" "$(($(date +%s) - began)) s"
[ ! -e "$root/opt/disconfirm" ] || fail "/opt/disconfirm is still there"
[ -e "$root/srv/analyst/.local/share/disconfirm" ] || fail "settings are gone"
[ -n "$(find "$root/srv/analyst" -name '*.disconfirm')" ] || fail "the case is gone"
find "$root" -xdev -path "$root/proc" -prune -o -path "$root/srv" -prune -o -iname '*disconfirm*' -print |
    { grep -v -e '/var/lib/apt' -e '/var/cache/apt' || true; } | tee "$out/left.txt"
[ ! -s "$out/left.txt" ] || fail "these are left"
if grep -rl disconfirm "$root/usr/share/applications" "$root/usr/share/mime" 2>/dev/null; then fail "a desktop still knows it"; fi

step "All of it holds on $release"
cat "$out/figures.txt"
