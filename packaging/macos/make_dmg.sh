#!/bin/sh
# make_dmg.sh VERSION: sign dist/Disconfirm.app, put it into a disk image, have it notarised, staple the ticket to it.
# Run on macOS after build.py bundle. Untried: it was written and read on Linux.
#
# SIGN_AS     the name of a "Developer ID Application" certificate; without it the app stays unsigned
# NOTARY      the name of a profile of notarytool; without it nothing is notarised
set -eu
version=$1
here=$(cd "$(dirname "$0")" && pwd)
dist=$here/../../dist
app=$dist/Disconfirm.app
image=$dist/disconfirm-$version-macos.dmg
test -d "$app" || { echo "There is no $app. Run: python3 packaging/build.py bundle" >&2; exit 3; }

if [ -n "${SIGN_AS:-}" ]; then
    # Each library by itself, from the inside out; then the program and the bundle with the rights that it needs.
    find "$app/Contents" -type f \( -name '*.so' -o -name '*.dylib' \) -print0 |
        xargs -0 codesign --force --timestamp --options runtime --sign "$SIGN_AS"
    codesign --force --timestamp --options runtime --entitlements "$here/entitlements.plist" --sign "$SIGN_AS" "$app"
    codesign --verify --deep --strict "$app"
fi

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
cp -R "$app" "$stage/"
ln -s /Applications "$stage/Applications"
rm -f "$image"
hdiutil create -volname Disconfirm -srcfolder "$stage" -format UDZO "$image"

if [ -n "${SIGN_AS:-}" ] && [ -n "${NOTARY:-}" ]; then
    codesign --force --timestamp --sign "$SIGN_AS" "$image"
    xcrun notarytool submit "$image" --keychain-profile "$NOTARY" --wait
    # Without the ticket in the image a computer without a network could not ask whether it is notarised.
    xcrun stapler staple "$image"
fi
shasum -a 256 "$image"
