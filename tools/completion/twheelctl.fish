# SPDX-License-Identifier: GPL-2.0
# Completion of twheelctl for fish. "twheelctl complete" knows the words.

function __twheelctl_complete
	set -l before (commandline -opc)
	set -l last (commandline -ct)
	set -l lines (command $before[1] complete $before[2..] "$last" 2>/dev/null)
	switch "$lines[1]"
		case ':files'
			__fish_complete_path "$last"
		case ':command*'
			set -l first (math 2 + (string replace ':command ' '' -- $lines[1]))
			complete -C (string join ' ' -- (string escape -- $before[$first..]) "$last")
		case '*'
			printf '%s\n' $lines
	end
end

complete -c twheelctl -f -a '(__twheelctl_complete)'
