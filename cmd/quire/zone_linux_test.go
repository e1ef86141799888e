package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A machine without zone files knows the zones that the program brings.
func TestZoneOfTheProgram(t *testing.T) {
	if testing.Short() || os.Geteuid() != 0 {
		t.Skip("builds the program, and needs root to lock it in")
	}
	root := t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(root, "quire"), ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	file := "model: {context: 200}\ntemplate: 'Today is {today}.'\nnow: 2026-11-30T23:30:00Z\ntimezone: Europe/Berlin\nquestion: Why?\n"
	if err := os.WriteFile(filepath.Join(root, "call.yaml"), []byte(file), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := &exec.Cmd{Path: "/quire", Args: []string{"quire", "request", "call.yaml"}, Dir: "/", Env: []string{}, SysProcAttr: &syscall.SysProcAttr{Chroot: root}}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Today is 2026-12-01.") {
		t.Errorf("%v: %s", err, out)
	}
}
