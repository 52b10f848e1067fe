// Renders a chart's templates as Helm does, with Go's own templates and the few functions the chart uses. Reads
// {"templates": {name: text}, "values": {"Values": …, "Release": …, "Chart": …}} and writes {name: text}.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strings"
	"text/template"
)

type input struct {
	Templates map[string]string      `json:"templates"`
	Values    map[string]interface{} `json:"values"`
}

func main() {
	var in input
	if err := json.NewDecoder(os.Stdin).Decode(&in); err != nil {
		fail(err)
	}
	all := template.New("chart").Option("missingkey=zero")
	render := func(name string, data interface{}) (string, error) {
		var out bytes.Buffer
		err := all.ExecuteTemplate(&out, name, data)
		return out.String(), err
	}
	all.Funcs(functions(render))
	for name, text := range in.Templates {
		if _, err := all.New(name).Parse(text); err != nil {
			fail(err)
		}
	}
	rendered := map[string]string{}
	for name := range in.Templates {
		if strings.HasPrefix(name, "_") {
			continue
		}
		text, err := render(name, in.Values)
		if err != nil {
			fail(err)
		}
		rendered[name] = text
	}
	if err := json.NewEncoder(os.Stdout).Encode(rendered); err != nil {
		fail(err)
	}
}

func functions(render func(string, interface{}) (string, error)) template.FuncMap {
	indent := func(spaces int, text string) string {
		pad := strings.Repeat(" ", spaces)
		return pad + strings.ReplaceAll(text, "\n", "\n"+pad)
	}
	return template.FuncMap{
		"include": render,
		"toYaml":  toYaml,
		"indent":  indent,
		"nindent": func(spaces int, text string) string { return "\n" + indent(spaces, text) },
		"quote":   func(value interface{}) string { return fmt.Sprintf("%q", fmt.Sprint(value)) },
		"default": func(fallback, value interface{}) interface{} {
			if value == nil || value == "" {
				return fallback
			}
			return value
		},
		"required": func(message string, value interface{}) (interface{}, error) {
			if value == nil || value == "" {
				return nil, fmt.Errorf("%s", message)
			}
			return value, nil
		},
		"trunc": func(length int, text string) string {
			if len(text) > length {
				return text[:length]
			}
			return text
		},
		"trimSuffix": func(suffix, text string) string { return strings.TrimSuffix(text, suffix) },
		"list":       func(values ...interface{}) []interface{} { return values },
		"dict": func(pairs ...interface{}) map[string]interface{} {
			made := map[string]interface{}{}
			for i := 0; i+1 < len(pairs); i += 2 {
				made[fmt.Sprint(pairs[i])] = pairs[i+1]
			}
			return made
		},
		"join": func(between string, values []interface{}) string {
			texts := []string{}
			for _, value := range values {
				texts = append(texts, fmt.Sprint(value))
			}
			return strings.Join(texts, between)
		},
		"add": func(values ...interface{}) (sum int64) {
			for _, value := range values {
				switch number := value.(type) {
				case float64:
					sum += int64(number)
				case int:
					sum += int64(number)
				}
			}
			return sum
		},
	}
}

// In blocks, since templates put it beside keys of their own; scalars, and what is empty, as JSON, which is YAML.
func toYaml(value interface{}) string {
	lines := []string{}
	nest := func(text string) string { return strings.ReplaceAll(text, "\n", "\n  ") }
	switch node := value.(type) {
	case map[string]interface{}:
		keys := []string{}
		for key := range node {
			keys = append(keys, key)
		}
		sort.Strings(keys)
		for _, key := range keys {
			between := " "
			if isNested(node[key]) {
				between = "\n  "
			}
			lines = append(lines, fmt.Sprintf("%q:%s%s", key, between, nest(toYaml(node[key]))))
		}
	case []interface{}:
		for _, item := range node {
			lines = append(lines, "- "+nest(toYaml(item)))
		}
	}
	if len(lines) > 0 {
		return strings.Join(lines, "\n")
	}
	text, _ := json.Marshal(value)
	return string(text)
}

func isNested(value interface{}) bool {
	switch node := value.(type) {
	case map[string]interface{}:
		return len(node) > 0
	case []interface{}:
		return len(node) > 0
	}
	return false
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
