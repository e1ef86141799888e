package promptfile

import (
	"strings"
	"time"

	"github.com/quirehq/quire/composer/request"
)

// A RequestDocument is a request file that was read: what package request makes one model call of.
type RequestDocument struct {
	Name   string // of the source, as it was given to [ReadRequest]
	Config request.Config
	Input  request.Input
}

// RequestOptions say how a request file is read.
type RequestOptions struct {
	// Options are those of prompt files: Set replaces keys of the request.
	Options

	// Zone finds a time zone by its name, as time.LoadLocation does. With nil the only zone is UTC.
	Zone func(name string) (*time.Location, error)
}

// ReadRequest reads a request file, of at most [MaxSource] bytes and of one document. Every error is an [Error].
func ReadRequest(src []byte, name string, opts RequestOptions) (*RequestDocument, error) {
	s := newSource(src, name, form{"request", "keys such as template and question"}, opts.Line)
	root, err := s.document(opts.JSON)
	if err != nil {
		return nil, err
	}
	d := decoder{source: s, files: files{open: opts.Open}}
	r := requestFile{zone: opts.Zone}
	if err := decode(&d, root, requestFields(), &r); err != nil {
		return nil, err
	}
	if err := apply(opts.Set, requestFields(), &r); err != nil {
		return nil, err
	}
	switch {
	case !r.hasTemplate:
		return nil, d.fail(root.line, "the request has no template", "want the key template or template-file")
	case r.config.Model.ContextTokens == 0:
		return nil, d.fail(root.line, "the request has no model with its context", "want model: {context: 200000}")
	}
	r.input.Template = request.ParseTemplate(r.template, r.stable)
	return &RequestDocument{Name: name, Config: r.config, Input: r.input}, nil
}

// Locate turns an error of package request into an [Error]. It names the part; no line is known.
func (doc *RequestDocument) Locate(err error) error {
	return &Error{File: doc.Name, What: strings.TrimPrefix(err.Error(), "request: "), Err: err}
}
