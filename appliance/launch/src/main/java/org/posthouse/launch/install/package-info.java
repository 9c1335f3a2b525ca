/**
 * Files and processes of this installation: its folders, JVM flags, start caches, and the processes of relays and
 * launchers that the command starts.
 *
 * <p>{@link org.posthouse.launch.install.Installation} finds the files, and {@link
 * org.posthouse.launch.install.StartCache} fills and names the caches. The command and the benches call both. Nothing
 * here knows a running job.
 */
package org.posthouse.launch.install;
