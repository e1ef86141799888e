package promptfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/quirehq/quire/internal/wellformed"
)

// What keeps a text file from being read, beside what the file system says.
var (
	ErrOutside   = errors.New("leaves the folder of the prompt file")
	ErrDirectory = errors.New("is a directory")
	ErrSpecial   = errors.New("is not a regular file")
)

// A Folder opens the text files below a folder, and nothing outside it, whatever symbolic links there are.
type Folder struct {
	path string
	root *os.Root // once the first file is asked for
}

// NewFolder returns the folder at the path. It is not looked at before a file is opened.
func NewFolder(path string) *Folder { return &Folder{path: path} }

// Open opens a regular file by its path relative to the folder, with / between its parts. A path that leads out of the
// folder is refused with [ErrOutside].
func (f *Folder) Open(name string) (fs.File, error) {
	local := filepath.FromSlash(name)
	if !filepath.IsLocal(local) {
		return nil, ErrOutside
	}
	if f.root == nil {
		root, err := os.OpenRoot(f.path)
		if err != nil {
			return nil, err
		}
		f.root = root
	}
	info, err := f.root.Stat(local)
	if err != nil {
		// The root does not say by a value that a link led out of it. What is there all the same did. The path is put
		// together as it is written: filepath.Join would make a file of "file/".
		if _, outside := os.Stat(f.path + string(filepath.Separator) + local); outside == nil {
			return nil, ErrOutside
		}
		return nil, err
	}
	if err := regular(info); err != nil {
		return nil, err
	}
	return f.root.Open(local)
}

// Close frees the folder.
func (f *Folder) Close() error {
	if f.root == nil {
		return nil
	}
	return f.root.Close()
}

// Anywhere returns a function that opens any regular file, by its path relative to a folder or by an absolute one.
func Anywhere(folder string) func(name string) (fs.File, error) {
	return func(name string) (fs.File, error) {
		path := filepath.FromSlash(name)
		if !filepath.IsAbs(path) {
			path = folder + string(filepath.Separator) + path
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if err := regular(info); err != nil {
			return nil, err
		}
		return os.Open(path)
	}
}

// regular refuses what is not a regular file before it is opened: opening a pipe waits for its other end.
func regular(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return ErrDirectory
	case !info.Mode().IsRegular():
		return ErrSpecial
	}
	return nil
}

// files holds the text files that a prompt file names.
type files struct {
	open  func(name string) (fs.File, error)
	texts map[string]string
	total int64
}

var errTooLarge = errors.New("has more than 64 MiB")

// read returns the content of a text file.
func (f *files) read(name string) (string, error) {
	content, known := f.texts[name]
	if !known {
		var err error
		if content, err = ReadText(f.open, name); err != nil {
			return "", err
		}
		if f.texts == nil {
			f.texts = make(map[string]string)
		}
		f.texts[name] = content
	}
	f.total += int64(len(content))
	return content, nil
}

// ReadText returns the content of a regular file of at most [MaxFile] bytes, such as [Folder.Open] opens.
func ReadText(open func(name string) (fs.File, error), name string) (string, error) {
	file, err := open(name)
	if err != nil {
		return "", err
	}
	content, err := readAll(file)
	return content, errors.Join(err, file.Close())
}

func readAll(file fs.File) (string, error) {
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	if err := regular(info); err != nil {
		return "", err
	}
	if info.Size() > MaxFile {
		return "", errTooLarge
	}
	var content strings.Builder
	content.Grow(int(info.Size()))
	n, err := io.Copy(&content, io.LimitReader(file, MaxFile+1))
	if err == nil && n > MaxFile {
		err = errTooLarge
	}
	return content.String(), err
}

// file reads the text file that a node names.
func (d *decoder) file(n *node) (string, error) {
	content, err := d.bytes(n)
	if err != nil {
		return "", err
	}
	if offset := wellformed.Invalid(content); offset >= 0 {
		return "", d.fail(n.line, d.prefix()+quoted(n.text)+fmt.Sprintf(" has invalid UTF-8 at byte %d", offset), "want a text in UTF-8")
	}
	return content, nil
}

// bytes reads the file that a node names.
func (d *decoder) bytes(n *node) (string, error) {
	name, err := d.text(n)
	if err != nil {
		return "", err
	}
	refuse := func(what, want string, err error) (string, error) {
		return "", &Error{File: d.name, Line: n.line, What: d.prefix() + quoted(name) + " " + what, Want: want, Err: err}
	}
	switch {
	case name == "":
		return "", d.wrong(n, "want the path of a text file")
	case d.files.open == nil:
		return refuse("cannot be read here", "want the text itself under the key text", nil)
	}
	content, err := d.files.read(name)
	var path *fs.PathError
	switch {
	case err == nil:
	case errors.Is(err, fs.ErrNotExist):
		return refuse("does not exist", "want a path relative to the "+d.noun+" file", err)
	case errors.Is(err, ErrOutside):
		return refuse("leaves the folder of the "+d.noun+" file", "want a file below it, or --allow-outside", err)
	case errors.Is(err, ErrDirectory), errors.Is(err, ErrSpecial):
		return refuse(err.Error(), "want a text file", err)
	case errors.Is(err, errTooLarge):
		return refuse(err.Error(), "want a smaller text", err)
	case errors.As(err, &path):
		return refuse("cannot be read: "+path.Err.Error(), "", err)
	default:
		return refuse("cannot be read: "+err.Error(), "", err)
	}
	if d.files.total > MaxFiles {
		return refuse("is too much", "want at most 256 MiB of files in one "+d.noun+" file", nil)
	}
	return content, nil
}
