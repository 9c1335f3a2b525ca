/**
 * {@code posthouse bench replicas}: what followers of ranks cost, as in the experiment of the P2P-MPI chapter (figure 9), and how
 * long a rank stands still when its leader is killed. {@link org.posthouse.bench.replicas.ReplicasPlan} and {@link
 * org.posthouse.bench.replicas.PausePlan} are the entries.
 */
package org.posthouse.bench.replicas;
