package promptfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/quirehq/quire/internal/promptfile"
)

func TestFolder(t *testing.T) {
	outer := t.TempDir()
	dir := filepath.Join(outer, "prompts")
	write := func(path, content string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(dir, "sub", "rules.md"), "Rules.\r\n")
	write(filepath.Join(outer, "secret"), "secret")
	links := true
	for name, target := range map[string]string{"in": filepath.Join("sub", "rules.md"), "out": filepath.Join("..", "secret"),
		"abs": filepath.Join(outer, "secret"), "up": "..", "loop": "loop", "gone": "nothing"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			if runtime.GOOS != "windows" {
				t.Fatal(err)
			}
			links = false
		}
	}
	folder := promptfile.NewFolder(dir)
	t.Cleanup(func() {
		if err := folder.Close(); err != nil {
			t.Error(err)
		}
	})
	anywhere := promptfile.Anywhere(dir)
	tests := []struct {
		name         string
		link         bool
		inside, open error // what Folder and what Anywhere return
	}{
		{"sub/rules.md", false, nil, nil},
		{"sub/../sub/rules.md", false, nil, nil},
		{"in", true, nil, nil},
		{"../secret", false, promptfile.ErrOutside, nil},
		{"sub/../../secret", false, promptfile.ErrOutside, nil},
		{filepath.ToSlash(filepath.Join(outer, "secret")), false, promptfile.ErrOutside, nil},
		{filepath.ToSlash(filepath.Join(dir, "sub", "rules.md")), false, promptfile.ErrOutside, nil},
		{"out", true, promptfile.ErrOutside, nil},
		{"abs", true, promptfile.ErrOutside, nil},
		{"up/secret", true, promptfile.ErrOutside, nil},
		{"gone", true, fs.ErrNotExist, fs.ErrNotExist},
		{"nothing", false, fs.ErrNotExist, fs.ErrNotExist},
		{"sub", false, promptfile.ErrDirectory, promptfile.ErrDirectory},
		{".", false, promptfile.ErrDirectory, promptfile.ErrDirectory},
	}
	for _, tt := range tests {
		if tt.link && !links {
			continue
		}
		for how, open := range map[string]func(string) (fs.File, error){"folder": folder.Open, "anywhere": anywhere} {
			want := tt.inside
			if how == "anywhere" {
				want = tt.open
			}
			f, err := open(tt.name)
			if !errors.Is(err, want) {
				t.Errorf("%s: %s: %v, want %v", how, tt.name, err, want)
			}
			if err == nil {
				f.Close()
			}
		}
	}
	// A file is no folder, and that is not the same as being outside.
	for _, name := range []string{"sub/rules.md/", "sub/rules.md/../rules.md"} {
		for how, open := range map[string]func(string) (fs.File, error){"folder": folder.Open, "anywhere": anywhere} {
			if _, err := open(name); runtime.GOOS != "windows" && (err == nil || errors.Is(err, promptfile.ErrOutside)) {
				t.Errorf("%s: %s: %v", how, name, err)
			}
		}
	}
	if links {
		if _, err := folder.Open("loop"); err == nil {
			t.Error("loop: no error")
		}
	}
}

func TestDevice(t *testing.T) {
	info, err := os.Stat("/dev/zero")
	if err != nil || info.Mode().IsRegular() {
		t.Skip("no /dev/zero on this system")
	}
	if _, err := promptfile.Anywhere(".")("/dev/zero"); !errors.Is(err, promptfile.ErrSpecial) {
		t.Error(err)
	}
}

// A zeros is a file of so many zero bytes.
type zeros struct {
	fs.FileInfo
	size, left int64
}

func (z *zeros) Stat() (fs.FileInfo, error) { return z, nil }
func (z *zeros) IsDir() bool                { return false }
func (z *zeros) Mode() fs.FileMode          { return 0 }
func (z *zeros) Size() int64                { return z.size }
func (z *zeros) Close() error               { return nil }
func (z *zeros) Read(p []byte) (int, error) {
	n := min(int64(len(p)), z.left)
	clear(p[:n])
	z.left -= n
	if n == 0 {
		return 0, errors.New("read to the end")
	}
	return int(n), nil
}

// A file above the bound is refused by its size, and one that grows above it while it is read, by what was read.
func TestFileBound(t *testing.T) {
	for name, file := range map[string]*zeros{
		"large":   {size: promptfile.MaxFile + 1},
		"growing": {size: 10, left: 1 << 40},
	} {
		open := func(string) (fs.File, error) { return file, nil }
		_, err := promptfile.Read([]byte("sections:\n- id: a\n  file: f\n"), "p", promptfile.Options{Open: open})
		if err == nil || err.Error() != `p:3: section "a": file: "f" has more than 64 MiB; want a smaller text` {
			t.Errorf("%s: %v", name, err)
		}
		if name == "large" && file.left != 0 || name == "growing" && 1<<40-file.left > promptfile.MaxFile+1<<20 {
			t.Errorf("%s: read %d bytes", name, 1<<40-file.left)
		}
	}
}

// All files together are bounded too, also when it is one that is named often: the text would hold it as often.
func TestFilesBound(t *testing.T) {
	opened := 0
	m := fstest.MapFS{"f": &fstest.MapFile{Data: []byte(strings.Repeat("a", 1<<20))}}
	open := func(name string) (fs.File, error) {
		opened++
		return m.Open(name)
	}
	src := "sections:\n"
	for i := range promptfile.MaxFiles>>20 + 1 {
		src += "- {file: f, id: s" + strconv.Itoa(i) + "}\n"
	}
	_, err := promptfile.Read([]byte(src), "p", promptfile.Options{Open: open})
	if err == nil || !strings.HasPrefix(err.Error(), "p:258: ") || !strings.HasSuffix(err.Error(), "; want at most 256 MiB of files in one prompt file") {
		t.Error(err)
	}
	if opened != 1 {
		t.Errorf("opened %d times", opened)
	}
	if _, err := promptfile.Read([]byte("sections:\n- {id: a, file: f}\n"), "p", promptfile.Options{}); err == nil {
		t.Error("read a file without Open")
	}
}
