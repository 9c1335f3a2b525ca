/**
 * Ways to bring agents to hosts. A {@link org.posthouse.launch.provision.Provisioner} starts agents and tells when one is
 * lost; it knows neither relays nor ranks.
 *
 * <p>{@link org.posthouse.launch.provision.CommandProvisioner} starts one command a host ({@code --launch-agent 'ssh
 * {host}'}), on the hosts of a {@link org.posthouse.launch.provision.HostFile}.
 * {@link org.posthouse.launch.provision.SlurmProvisioner} starts one job step on the nodes of a
 * {@link org.posthouse.launch.provision.SlurmAllocation}. {@link org.posthouse.launch.provision.KubernetesProvisioner}
 * creates one Kubernetes Job with a Pod for each agent. {@link org.posthouse.launch.provision.StandingAgents} starts agents
 * that outlive the command. The launcher calls all.
 */
package org.posthouse.launch.provision;
