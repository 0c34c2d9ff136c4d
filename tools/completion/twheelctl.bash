# SPDX-License-Identifier: GPL-2.0
# Completion of twheelctl for bash. "twheelctl complete" knows the words; the functions with
# an underscore are those of the package bash-completion.
# shellcheck shell=bash

_twheelctl()
{
	local cur words cword

	_get_comp_words_by_ref -n := cur words cword || return
	mapfile -t COMPREPLY < <("${words[0]}" complete "${words[@]:1:cword}" 2>/dev/null)
	case ${COMPREPLY[0]-} in
	:files)
		COMPREPLY=()
		compopt -o default
		;;
	:command*)
		# The shell counts its words anew: a colon in one makes it three.
		_command_offset $((COMP_CWORD - cword + 1 + ${COMPREPLY[0]#:command }))
		;;
	*)
		COMPREPLY=("${COMPREPLY[@]%%$'\t'*}")
		__ltrim_colon_completions "$cur"
		;;
	esac
}

complete -F _twheelctl twheelctl
