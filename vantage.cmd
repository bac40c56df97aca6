@echo off
rem Vantage on Windows: what ./vantage does elsewhere. Sets up .venv, then opens the window, runs a verb or the tests.
rem   vantage [PROJECT]   vantage VERB ...   vantage test [ARGS]   vantage setup
setlocal EnableExtensions DisableDelayedExpansion
set "PYTHONPATH="
set "PYTHONHOME="
set "ROOT=%~dp0"
set "VENV=%ROOT%.venv"
set "PY=%VENV%\Scripts\python.exe"
set "EXTRA="
if "%~1"=="test" set "EXTRA=test"

call :set_up
if errorlevel 1 exit /b 3

if "%~1"=="setup" exit /b 0
if "%~1"=="test" goto tests
if not "%~1"=="" goto verb

"%PY%" "%ROOT%main.py" --demo
exit /b %ERRORLEVEL%

:verb
"%PY%" "%ROOT%main.py" %*
exit /b %ERRORLEVEL%

:tests
rem %* still holds the word test: give on what follows it.
set "REST="
for /f "tokens=1,*" %%a in ("%*") do set "REST=%%b"
cd /d "%ROOT%"
"%PY%" -m pytest -n 3 --dist loadfile -m "not slow" %REST%
exit /b %ERRORLEVEL%

rem The stamp is a copy of what the environment was built from, and is written last.
:set_up
if not exist "%VENV%\vantage-stamp%EXTRA%" goto build
copy /b /y "%ROOT%constraints.txt"+"%ROOT%pyproject.toml" "%TEMP%\vantage-wanted" >nul
fc /b "%TEMP%\vantage-wanted" "%VENV%\vantage-stamp%EXTRA%" >nul
if errorlevel 1 goto build
"%PY%" -I -S -c "" 2>nul && exit /b 0

:build
set "BASE="
for %%v in (3.13 3.12 3.11 3.14) do if not defined BASE py -%%v -c "" >nul 2>nul && set "BASE=py -%%v"
if not defined BASE python -c "import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))" >nul 2>nul && set "BASE=python"
if not defined BASE (
    echo Vantage needs Python 3.11 to 3.14. Run this command, then start Vantage again: winget install Python.Python.3.13
    exit /b 1
)
rem What an interrupted set-up left has no stamp: make it anew.
if exist "%VENV%\vantage-building" rmdir /s /q "%VENV%"
if not exist "%VENV%" mkdir "%VENV%"
type nul > "%VENV%\vantage-building"
echo Setting up Python packages (about a minute)...
%BASE% -m venv "%VENV%" || exit /b 1
"%PY%" "%ROOT%packaging\requirements.py" %EXTRA% > "%VENV%\requirements.txt" || exit /b 1
"%PY%" -m pip install --quiet --no-input --disable-pip-version-check --only-binary :all: ^
    --constraint "%ROOT%constraints.txt" --requirement "%VENV%\requirements.txt" > "%VENV%\setup.log" 2>&1
if errorlevel 1 (
    type "%VENV%\setup.log"
    exit /b 1
)
copy /b /y "%ROOT%constraints.txt"+"%ROOT%pyproject.toml" "%VENV%\vantage-stamp" >nul
if defined EXTRA copy /b /y "%VENV%\vantage-stamp" "%VENV%\vantage-stamp%EXTRA%" >nul
del "%VENV%\vantage-building"
exit /b 0
