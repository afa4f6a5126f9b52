; Inno Setup 6: an installer for one person, without administrator rights. Run on Windows after build.py bundle:
;   iscc /DVersion=0.1.0 packaging\windows\disconfirm.iss
; Untried: it was written and read on Linux.

#ifndef Version
  #define Version "0.1.0"
#endif

[Setup]
AppId={{8C2D6B0E-5B0B-4C0F-9E57-3D0F1C5E7A11}
AppName=Disconfirm
AppVersion={#Version}
AppPublisher=The Disconfirm project
DefaultDirName={autopf}\Disconfirm
DefaultGroupName=Disconfirm
DisableProgramGroupPage=yes
PrivilegesRequired=lowest
PrivilegesRequiredOverridesAllowed=dialog
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
ChangesAssociations=yes
Compression=lzma2/normal
SolidCompression=yes
LicenseFile=..\..\LICENSE
SetupIconFile=..\..\build\icons\disconfirm.ico
UninstallDisplayIcon={app}\disconfirm-window.exe
OutputDir=..\..\dist
OutputBaseFilename=disconfirm-{#Version}-windows-setup
WizardStyle=modern

[InstallDelete]
; What an earlier version left would be mixed with this one.
Type: filesandordirs; Name: "{app}\_internal"

[Files]
Source: "..\..\dist\disconfirm\*"; DestDir: "{app}"; Flags: ignoreversion recursesubdirs createallsubdirs

[Icons]
Name: "{group}\Disconfirm"; Filename: "{app}\disconfirm-window.exe"

[Registry]
Root: HKA; Subkey: "Software\Classes\.disconfirm"; ValueType: string; ValueData: "Disconfirm.Case"; Flags: uninsdeletevalue
Root: HKA; Subkey: "Software\Classes\Disconfirm.Case"; ValueType: string; ValueData: "Disconfirm case"; Flags: uninsdeletekey
Root: HKA; Subkey: "Software\Classes\Disconfirm.Case\DefaultIcon"; ValueType: string; ValueData: "{app}\disconfirm-window.exe,0"
Root: HKA; Subkey: "Software\Classes\Disconfirm.Case\shell\open\command"; ValueType: string; ValueData: """{app}\disconfirm-window.exe"" gui ""%1"""

[Run]
Filename: "{app}\disconfirm-window.exe"; Description: "Start Disconfirm"; Flags: nowait postinstall skipifsilent
