package fuzz

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// snapshot writes down everything that can be reached from a value, so that a change of any of it changes the text.
// Pointers are followed, once each; maps are sorted. Of functions and channels, only which one it is.
func snapshot(v any) string {
	s := snapshooter{seen: map[reference]bool{}}
	s.write(reflect.ValueOf(v))
	return s.String()
}

type reference struct {
	of reflect.Type
	at uintptr
}

type snapshooter struct {
	strings.Builder
	seen map[reference]bool
}

func (s *snapshooter) write(v reflect.Value) {
	switch v.Kind() {
	case reflect.Invalid:
		s.WriteString("nil")
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			s.WriteString("nil")
			return
		}
		if v.Kind() == reflect.Pointer {
			at := reference{v.Type(), v.Pointer()}
			if s.seen[at] {
				s.WriteString("&…")
				return
			}
			s.seen[at] = true
			s.WriteByte('&')
		}
		s.write(v.Elem())
	case reflect.Struct:
		s.WriteByte('{')
		for i := range v.NumField() {
			if i > 0 {
				s.WriteByte(' ')
			}
			s.WriteString(v.Type().Field(i).Name + ":")
			s.write(v.Field(i))
		}
		s.WriteByte('}')
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && v.IsNil() {
			s.WriteString("nil")
			return
		}
		s.WriteByte('[')
		for i := range v.Len() {
			if i > 0 {
				s.WriteByte(' ')
			}
			s.write(v.Index(i))
		}
		s.WriteByte(']')
	case reflect.Map:
		entries := make([]string, 0, v.Len())
		for iter := v.MapRange(); iter.Next(); {
			entry := snapshooter{seen: s.seen}
			entry.write(iter.Key())
			entry.WriteByte(':')
			entry.write(iter.Value())
			entries = append(entries, entry.String())
		}
		slices.Sort(entries)
		s.WriteString("map" + fmt.Sprint(entries))
	case reflect.String:
		fmt.Fprintf(s, "%q", v.String())
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		fmt.Fprintf(s, "%#x", v.Pointer())
	default:
		fmt.Fprint(s, v) // numbers and booleans; fmt prints the value that a reflect.Value holds
	}
}
