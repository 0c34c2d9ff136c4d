/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _COMPLETE_H
#define _COMPLETE_H

/*
 * Print what the last word of a command line may become, for the completion of a shell. The
 * words are those behind the name of the program. Returns an exit status.
 *
 * Each line is a word and, behind a tab, what it means. Instead of words, the shell is told
 * ":files" if the word is the name of a file, and ":command N" if the words from number N on,
 * counted from 0, are a command.
 */
int complete(int argc, char **argv);

#endif /* _COMPLETE_H */
