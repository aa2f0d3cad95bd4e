// Prints the Go source of the seccomp filters of the sandboxes that Atoll starts, made from gVisor's own rules.
package main

import (
	"fmt"
	"os"
	_ "unsafe" // for go:linkname

	"golang.org/x/sys/unix"
	"gvisor.dev/gvisor/pkg/seccomp"
	"gvisor.dev/gvisor/pkg/seccomp/precompiledseccomp"
	"gvisor.dev/gvisor/pkg/sentry/platform"
	_ "gvisor.dev/gvisor/pkg/sentry/platform/platforms"
	"gvisor.dev/gvisor/runsc/boot/filter/config"
)

// The rules for values that are known at run time only. gVisor's config.PrecompiledPrograms calls it too, for 150 programs of which we
// need two.
//
//go:linkname rules gvisor.dev/gvisor/runsc/boot/filter/config.rules
func rules(config.Options, precompiledseccomp.Values) (seccomp.SyscallRules, seccomp.SyscallRules)

func main() {
	systrap, err := platform.Lookup("systrap")
	check(err)
	fmt.Printf("package main\n\nimport %q\n\n", "gvisor.dev/gvisor/pkg/seccomp/precompiledseccomp")
	fmt.Printf("func filters() map[string]precompiledseccomp.Program {\n")
	fmt.Printf("\tprograms := make(map[string]precompiledseccomp.Program)\n")
	for _, info := range systrap.PrecompiledSeccompInfo() {
		for _, direct := range []bool{true, false} { // --directfs
			options := config.Options{Platform: info, HostFilesystem: direct}
			requireThatRule(options)
			program, err := compile(options)
			check(err)
			fmt.Print(program.Registration("\t", "precompiledseccomp", "programs"))
		}
	}
	fmt.Printf("\treturn programs\n}\n")
}

func compile(options config.Options) (precompiledseccomp.Program, error) {
	var names []string
	for name := range options.Vars() {
		names = append(names, name)
	}
	return precompiledseccomp.Precompile(options.ConfigKey(), names, func(values precompiledseccomp.Values) *seccomp.Program {
		allowed, denied := rules(options, values)
		allowed = allowed.Copy()
		allowed.Remove(unix.SYS_RT_TGSIGQUEUEINFO)
		allowed.Set(unix.SYS_RT_TGSIGQUEUEINFO, killItself(values.GetUint64("self_pid")))
		return &seccomp.Program{
			RuleSets: []seccomp.RuleSet{
				{Rules: denied.Copy()},
				{Rules: allowed, Action: seccomp.Allow},
			},
			Options: config.SeccompOptions(options),
		}
	})
}

// In this one rule gVisor asks for the process id instead of taking it from the values, so that of the compiler would be in the filter.
func killItself(pid uint64) seccomp.SyscallRule {
	return seccomp.PerArg{seccomp.EqualTo(pid), seccomp.AnyValue{}, seccomp.EqualTo(unix.SIGKILL)}
}

func requireThatRule(options config.Options) {
	allowed, _ := rules(options, options.Vars())
	found, want := allowed.Get(unix.SYS_RT_TGSIGQUEUEINFO), killItself(uint64(os.Getpid()))
	if fmt.Sprint(found) != fmt.Sprint(want) {
		check(fmt.Errorf("gVisor has another rule for rt_tgsigqueueinfo now: %v", found))
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
