/**
 * Files that a job takes to its nodes: content named by its SHA-256, a bounded store of it, class folders as archives,
 * checked names, and the folder of each rank on a node.
 *
 * <p>The launcher names content ({@link org.posthouse.launch.stage.ContentHasher}, {@link
 * org.posthouse.launch.stage.StagedNames}); relays and agents keep it ({@link org.posthouse.launch.stage.ContentStore});
 * agents link it into a rank's folder ({@link org.posthouse.launch.stage.JobFolders}). No type here knows a connection.
 * All calls block on the disk: none belongs on an event loop.
 */
package org.posthouse.launch.stage;
