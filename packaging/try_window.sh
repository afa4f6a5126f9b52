#!/bin/sh
# The window with real keys: run by try_installer.sh inside its root, as an ordinary user, without a network.
#
# Opens the sample case, accepts a passage, rates, exports the report in three forms, tries the self-test, closes, and
# looks with the command line at what became of it. Screenshots and what was said are in /tmp/seen.
set -eu

seen=/tmp/seen
cd "$HOME"
mkdir -p /tmp/fb out
case_file=$HOME/.local/share/disconfirm/sample/sample.disconfirm
export DISPLAY=:9

fail() { echo "FAILED: $*"; picture failed; exit 1; }
picture() { sleep 1; cp /tmp/fb/Xvfb_screen0 "$seen/$1.xwd"; }
key() { for one in "$@"; do xdotool key "$one"; sleep 0.4; done; }
words() { xdotool type --delay 25 "$1"; sleep 0.4; }
# A command by its name, through the palette.
command() { key ctrl+k; words "$1"; sleep 0.6; key Return; }
# Until a window with this name is seen, or so many seconds have gone.
window() {
    left=$(($2 * 10))
    until xdotool search --onlyvisible --name "$1" >/dev/null 2>&1; do
        left=$((left - 1))
        [ "$left" -gt 0 ] || return 1
        sleep 0.1
    done
}
# Until a file is there and no longer grows.
file() {
    left=60
    until [ -s "$1" ] && [ "$(stat -c %s "$1")" = "${size:-}" ]; do
        size=$(stat -c %s "$1" 2>/dev/null || true)
        left=$((left - 1))
        [ "$left" -gt 0 ] || fail "$1 was not written"
        sleep 1
    done
}
start() {
    began=$(date +%s%N)
    disconfirm gui >> "$seen/program.txt" 2>&1 &
    program=$!
    window Disconfirm 60 || fail "no window"
    echo "window $1: $((($(date +%s%N) - began) / 1000000)) ms"
}

[ "$(tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' ')" = lo ] || { echo "there is a network"; exit 1; }
Xvfb :9 -screen 0 1440x900x24 -fbdir /tmp/fb -nolisten tcp 2>/dev/null &
screen=$!
trap 'kill $screen 2>/dev/null || true' EXIT
left=100
until xdotool getdisplaygeometry >/dev/null 2>&1; do
    left=$((left - 1))
    [ "$left" -gt 0 ] || { echo "no screen"; exit 1; }
    sleep 0.1
done
matchbox-window-manager 2>/dev/null &

start "for the first time"
sleep 3
picture 1-start
key ctrl+q
wait "$program" || fail "it did not close well"
start "for the second time"
sleep 2
command "Open sample case"
window "silent pump" 600 || fail "the sample case was not opened"
xdotool search --onlyvisible --name "silent pump" windowsize 1440 900 windowmove 0 0 2>/dev/null || true
sleep 3
picture 2-sample

key ctrl+5
sleep 3
picture 3-review
key a
sleep 2
picture 4-accepted
key shift+a
sleep 2
picture 5-rated
key ctrl+6
sleep 2
key shift+n c
sleep 1
picture 6-matrix
for form in PDF DOCX pack; do
    case $form in
        PDF) command "Export PDF document"; target=$HOME/out/report.pdf ;;
        DOCX) command "Export text document"; target=$HOME/out/report.docx ;;
        pack) command "Export evidence pack"; target=$HOME/out/report.pack.html ;;
    esac
    sleep 2
    key ctrl+a
    words "$target"
    picture "7-export-$form"
    key Return
    file "$target"
    echo "$form: $(stat -c %s "$target") bytes"
done
sleep 2
picture 8-report
command "Self-test"
sleep 60
picture 9-selftest
key Escape
sleep 1
key ctrl+q
left=200
while kill -0 "$program" 2>/dev/null; do
    left=$((left - 1))
    [ "$left" -gt 0 ] || fail "it did not close"
    sleep 0.1
done
wait "$program" || fail "it ended with an error"

[ "$(head -c 5 out/report.pdf)" = "%PDF-" ] || fail "no PDF"
[ "$(head -c 2 out/report.docx)" = "PK" ] || fail "no DOCX"
grep -q "<html" out/report.pack.html || fail "no evidence pack"
disconfirm verify "$case_file"
disconfirm timeline "$case_file" | tail -3 | tee "$seen/decisions.txt"
[ "$(cut -f2 "$seen/decisions.txt" | tr '\n' ' ')" = "accept row accept row rate " ] || fail "these are not the decisions that the keys made"
echo "The window did it all."
