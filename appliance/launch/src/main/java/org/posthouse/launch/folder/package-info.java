/**
 * The folder of a job: the file with its specification, the notes about its ranks, its input, and the journals of its
 * output. Another launcher resumes the job from it.
 *
 * <p>{@link org.posthouse.launch.folder.JobFolder} is the entry. The launcher that holds the folder's lock owns the
 * files.
 */
package org.posthouse.launch.folder;
