/**
 * Names of a group: the back end {@code --names hazelcast} of {@link org.posthouse.names.NameService}, in one map of the member that the directory has.
 *
 * <p>{@link org.posthouse.directory.names.HazelcastNames} is what others call. A change runs as one entry processor at the owner of the name
 * ({@code NameChangeProcessor}), which its backups repeat ({@code NameStoreProcessor}). {@link org.posthouse.directory.names.NamesMajority} decides whether
 * this part of the group may answer at all, and {@code NewestNameMergePolicy} which record stays when two parts merge (docs/names.md). The map's state
 * belongs to Hazelcast; listeners and timers belong to HazelcastNames.
 */
package org.posthouse.directory.names;
