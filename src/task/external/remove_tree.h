/* remove_tree.h - remove a directory with all that is in it. */
#ifndef BNRE_TASK_REMOVE_TREE_H
#define BNRE_TASK_REMOVE_TREE_H

/* Symbolic links are removed, never followed. Returns 0, or -1 when something
   is still there; a path that does not exist is fine. */
int bnre__remove_tree(const char *path);

#endif
