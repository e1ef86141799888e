package messages

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/quirehq/quire/composer/measure"
	"github.com/quirehq/quire/tiers"
)

// ParseDescription reads an input and its options from one JSON object, with the published names:
//
//	input                  a string, a message, or a list of messages
//	systemInstructions     a string, or a list of strings; so are
//	developerInstructions
//	instructions           [{text, label, metadata}]
//	summaries              [a string, or {content, metadata}]
//	history                [message]
//	attachments            [{name, text, content, uri, mediaType}]
//	resourceUris           [uri]
//	resources              {uri: text}; what is not there is asked of load
//	toolResults            [{toolCallId, name, value, content, error}]
//	contextBlocks          [{id, title, content, priority, metadata}], or a list of such lists
//	skills                 [{name, description, instructions}]
//	loaded                 [name of a skill whose body is wanted]
//	skillsDisclosure       "progressive" or "eager"
//	tools                  [{name, description, …}]; one with further members is its own definition
//	tail                   {order: [id], segments: [{id, text}]}
//	model                  {capabilities: {tools, input: [kind]}, …}
//	inputLayout            "cache_aware" or "legacy"
//	contextBudget          {maxInputTokens, maxInputBytes, reportOmissions, tokenEstimator: name of a measure}
//	policy, quantum        "unit", "item" or "quantised"; an integer
//	foldToolResults        {cap, recent}
//	omissionNotice         true or false
//
// All are optional. A message is what [ParseMessage] reads; content is a string or a list of blocks. Names that stand
// here nowhere are an error. The estimator is one of package measure, or of those given.
func ParseDescription(src []byte, load func(uri string) (string, error), estimators ...measure.Measure) (Input, Options, error) {
	var d description
	if err := json.Unmarshal(src, &d, json.RejectUnknownMembers(true)); err != nil {
		return Input{}, Options{}, fmt.Errorf("messages: description: %w", misfit(err))
	}
	in, err := d.input(load)
	if err != nil {
		return Input{}, Options{}, fmt.Errorf("messages: description: %w", err)
	}
	o, err := d.options(estimators)
	if err != nil {
		return Input{}, Options{}, fmt.Errorf("messages: description: %w", err)
	}
	return in, o, nil
}

// misfit says in JSON's words what the decoder says in Go's: where in the document, and what does not fit there.
func misfit(err error) error {
	var semantic *json.SemanticError
	if !errors.As(err, &semantic) {
		return err
	}
	at := string(semantic.JSONPointer)
	switch {
	case errors.Is(err, json.ErrUnknownName):
		return fmt.Errorf("at %q: unknown name; a description has input, history, systemInstructions, tools and the like", at)
	case semantic.Err != nil && semantic.JSONKind == jsontext.KindNumber:
		return fmt.Errorf("at %q: the number %s; want a decimal integer, such as 8000", at, semantic.JSONValue)
	case semantic.Err != nil:
		return fmt.Errorf("at %q: %w", at, semantic.Err)
	}
	return fmt.Errorf("at %q: a %v does not fit here", at, semantic.JSONKind)
}

type description struct {
	Input        jsontext.Value `json:"input"`
	System       texts          `json:"systemInstructions"`
	Developer    texts          `json:"developerInstructions"`
	Instructions []struct {
		Label    string         `json:"label"`
		Text     string         `json:"text"`
		Metadata jsontext.Value `json:"metadata"`
	} `json:"instructions"`
	Summaries   []jsontext.Value `json:"summaries"`
	History     []jsontext.Value `json:"history"`
	Attachments []struct {
		Name      string  `json:"name"`
		Text      *string `json:"text"`
		Content   content `json:"content"`
		URI       string  `json:"uri"`
		MediaType string  `json:"mediaType"`
	} `json:"attachments"`
	URIs        []string          `json:"resourceUris"`
	Resources   map[string]string `json:"resources"`
	ToolResults []struct {
		CallID  string         `json:"toolCallId"`
		Name    string         `json:"name"`
		Value   jsontext.Value `json:"value"`
		Content content        `json:"content"`
		Error   jsontext.Value `json:"error"`
	} `json:"toolResults"`
	Context []contexts `json:"contextBlocks"`
	Skills  []struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Body        string `json:"instructions"`
	} `json:"skills"`
	Loaded     []string         `json:"loaded"`
	Disclosure string           `json:"skillsDisclosure"`
	Tools      []jsontext.Value `json:"tools"`
	Tail       *struct {
		Order    []string `json:"order"`
		Segments []struct {
			ID   string `json:"id"`
			Text string `json:"text"`
		} `json:"segments"`
	} `json:"tail"`
	Model  jsontext.Value `json:"model"`
	Layout string         `json:"inputLayout"`
	Budget *struct {
		Tokens    jsontext.Value `json:"maxInputTokens"`
		Bytes     jsontext.Value `json:"maxInputBytes"`
		Report    bool           `json:"reportOmissions"`
		Estimator string         `json:"tokenEstimator"`
	} `json:"contextBudget"`
	Policy  string `json:"policy"`
	Quantum int64  `json:"quantum"`
	Fold    *struct {
		Cap    int `json:"cap"`
		Recent int `json:"recent"`
	} `json:"foldToolResults"`
	Notice bool `json:"omissionNotice"`
}

// texts are a string or a list of strings.
type texts []string

// UnmarshalJSONFrom reads either.
func (t *texts) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if d.PeekKind() == '"' {
		s, err := text(d, "text")
		*t = texts{s}
		return err
	}
	return json.UnmarshalDecode(d, (*[]string)(t))
}

// content is a string or a list of blocks.
type content []Block

// UnmarshalJSONFrom reads either.
func (c *content) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	blocks, _, err := decodeContent(d)
	*c = blocks
	return err
}

// contexts are one block of background or a list of them: a provider may give several.
type contexts []describedContext

type describedContext struct {
	ID       string         `json:"id"`
	Title    string         `json:"title"`
	Content  content        `json:"content"`
	Priority int            `json:"priority"`
	Metadata jsontext.Value `json:"metadata"`
}

// UnmarshalJSONFrom reads either.
func (c *contexts) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if d.PeekKind() == '[' {
		return json.UnmarshalDecode(d, (*[]describedContext)(c))
	}
	*c = make(contexts, 1)
	return json.UnmarshalDecode(d, &(*c)[0])
}

func (d *description) input(load func(string) (string, error)) (Input, error) {
	in := Input{System: d.System, Developer: d.Developer, Resources: d.URIs, Load: load}
	if d.Resources != nil {
		in.Load = func(uri string) (string, error) {
			if text, ok := d.Resources[uri]; ok {
				return text, nil
			}
			if load == nil {
				return "", errors.New("not among the resources")
			}
			return load(uri)
		}
	}
	for _, i := range d.Instructions {
		in.Instructions = append(in.Instructions, Instruction{i.Label, i.Text, JSON(i.Metadata)})
	}
	for i, v := range d.Summaries {
		s, err := describedSummary(v)
		if err != nil {
			return Input{}, fmt.Errorf("summaries %d: %w", i+1, err)
		}
		in.Summaries = append(in.Summaries, s)
	}
	var err error
	if in.History, err = describedMessages("history", d.History); err != nil {
		return Input{}, err
	}
	if in.Current, err = describedCurrent(d.Input); err != nil {
		return Input{}, err
	}
	for _, a := range d.Attachments {
		attachment := Attachment{Name: a.Name, Content: a.Content, URI: a.URI, MediaType: a.MediaType}
		if a.Text != nil {
			attachment.Text = *a.Text
			if *a.Text == "" { // empty, not absent
				attachment.Content = []Block{Text("")}
				if a.Name != "" {
					attachment.Content = []Block{Text("Attachment " + a.Name + ":\n")}
				}
			}
		}
		in.Attachments = append(in.Attachments, attachment)
	}
	for _, r := range d.ToolResults {
		in.ToolResults = append(in.ToolResults, ToolResult{r.CallID, r.Name, JSON(r.Value), r.Content, JSON(r.Error)})
	}
	for _, list := range d.Context {
		for _, c := range list {
			in.Context = append(in.Context, Context{c.ID, c.Title, c.Content, c.Priority, JSON(c.Metadata)})
		}
	}
	for _, s := range d.Skills {
		in.Skills = append(in.Skills, Skill{s.Name, s.Description, s.Body, slices.Contains(d.Loaded, s.Name)})
	}
	for i, v := range d.Tools {
		tool, err := describedTool(v)
		if err != nil {
			return Input{}, fmt.Errorf("tools %d: %w", i+1, err)
		}
		in.Tools = append(in.Tools, tool)
	}
	if d.Tail != nil {
		in.Tail = &Tail{Order: d.Tail.Order}
		for _, s := range d.Tail.Segments {
			in.Tail.Segments = append(in.Tail.Segments, Segment{s.ID, s.Text})
		}
	}
	in.Model, err = describedModel(d.Model)
	return in, err
}

// describedModel reads what a model takes; a model has more to it, which is not looked at.
func describedModel(v jsontext.Value) (Model, error) {
	var m struct {
		Capabilities struct {
			Tools bool    `json:"tools"`
			Input *[]Kind `json:"input"`
		} `json:"capabilities"`
	}
	if v != nil {
		if err := json.Unmarshal(v, &m); err != nil {
			return Model{}, fmt.Errorf("model: %w", err)
		}
	}
	model := Model{Tools: m.Capabilities.Tools}
	if m.Capabilities.Input != nil {
		model.Modalities = append([]Kind{}, *m.Capabilities.Input...)
	}
	return model, nil
}

func describedSummary(v jsontext.Value) (Summary, error) {
	if s, ok := JSON(v).unquote(); ok {
		return Summary{Text: s}, nil
	}
	var s struct {
		Title    string         `json:"title"` // for the host
		Content  content        `json:"content"`
		Metadata jsontext.Value `json:"metadata"`
	}
	err := json.Unmarshal(v, &s, json.RejectUnknownMembers(true))
	return Summary{Content: s.Content, Metadata: JSON(s.Metadata)}, err
}

func describedMessages(what string, list []jsontext.Value) ([]Message, error) {
	var out []Message
	for i, v := range list {
		m, err := parseMessage(v)
		if err != nil {
			return nil, fmt.Errorf("%s %d: %w", what, i+1, err)
		}
		out = append(out, m)
	}
	return out, nil
}

func describedCurrent(v jsontext.Value) ([]Message, error) {
	switch v.Kind() {
	case 0, 'n':
		return nil, nil
	case '"':
		s, _ := JSON(v).unquote()
		return []Message{TextMessage(User, s)}, nil
	case '[':
		var list []jsontext.Value
		if err := json.Unmarshal(v, &list); err != nil {
			return nil, err
		}
		return describedMessages("input", list)
	}
	return describedMessages("input", []jsontext.Value{v})
}

func describedTool(v jsontext.Value) (tool ToolSpec, err error) {
	d := jsontext.NewDecoder(bytes.NewReader(v))
	err = object(d, "a tool", func(name string) (err error) {
		switch name {
		case "name":
			tool.Name, err = text(d, name)
		case "description":
			tool.Description, err = text(d, name)
		default:
			tool.Definition = JSON(v)
			err = d.SkipValue()
		}
		return err
	})
	return tool, err
}

func (d *description) options(estimators []measure.Measure) (o Options, err error) {
	o.Quantum, o.Notice = d.Quantum, d.Notice
	if d.Layout != "" {
		if o.Layout, err = parseLayout(d.Layout); err != nil {
			return o, err
		}
	}
	if d.Policy != "" {
		if o.Policy, err = parsePolicy(d.Policy); err != nil {
			return o, err
		}
	}
	switch d.Disclosure {
	case "", "progressive":
	case "eager":
		o.EagerSkills = true
	default:
		return o, fmt.Errorf("skillsDisclosure %q; want progressive or eager", d.Disclosure)
	}
	if d.Fold != nil {
		o.Fold = &Fold{d.Fold.Cap, d.Fold.Recent}
	}
	if d.Budget == nil {
		return o, nil
	}
	b := &Budget{ReportOmissions: d.Budget.Report}
	o.Budget = b
	if b.MaxInputTokens, err = describedMaximum("maxInputTokens", d.Budget.Tokens); err != nil {
		return o, err
	}
	if b.MaxInputBytes, err = describedMaximum("maxInputBytes", d.Budget.Bytes); err != nil {
		return o, err
	}
	if d.Budget.Estimator != "" {
		m, err := describedEstimator(d.Budget.Estimator, estimators)
		if err != nil {
			return o, err
		}
		b.Estimator = &m
	}
	return o, b.check()
}

// describedMaximum reads an integer; absent and null are not set.
func describedMaximum(name string, v jsontext.Value) (tiers.Budget, error) {
	if v == nil || v.Kind() == 'n' {
		return tiers.Budget{}, nil
	}
	limit, err := tiers.ParseBudget(string(v))
	if err != nil {
		return tiers.Budget{}, fmt.Errorf("%s: %w: %s; want a decimal integer, such as 8000", name, ErrMaximum, v)
	}
	return limit, nil
}

func describedEstimator(name string, estimators []measure.Measure) (measure.Measure, error) {
	for _, m := range estimators {
		if m.Name() == name {
			return m, nil
		}
	}
	if m, ok := measure.ByName(name); ok {
		return m, nil
	}
	return measure.Measure{}, fmt.Errorf("tokenEstimator: %w: there is no measure %q", ErrEstimator, name)
}
