package org.posthouse.cli.option;

import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** The options of a command with many, under headings in its help. An option that no section names stands in the last one. */
public record HelpSections(List<Section> sections) {
    /** {@code posthouse run}. */
    public static final HelpSections RUN = new HelpSections(List.of(
            new Section("The job", "--ranks --class-path --args --jvm -x --file --wdir --stdin --timeout --dry-run"),
            new Section("Sites and relays", "--relay --token-file --sites --relays-per-site"),
            new Section(
                    "Nodes",
                    "--nodes --where --allocate --map-by --spare --node-timeout --detector --detector-period --hostfile --launch-agent --slurm --end-margin --kubernetes --kubectl --pods"),
            new Section("Batch jobs that join", "--expect --wait --job"),
            new Section(
                    "Recovery",
                    "--durability --replicas --on-failure --checkpoint-every --max-restarts --relay-timeout --silence --folder --launcher-timeout --compare-stderr"),
            new Section("Output", "--no-tag --output --no-output-tail"),
            new Section("Speed", "--eager-max --busy-poll"),
            new Section(
                    "Relays inside this process (without --relay)",
                    "--mode --loops --pipeline --lanes --log-limit --log-high-mark --on-log-full --unexpected-max"),
            new Section("Other", "")));

    /** {@code posthouse relay}. */
    public static final HelpSections RELAY = new HelpSections(List.of(
            new Section("This relay", "--site --name --keys --data"),
            new Section("Ranks, launchers and agents", "--listen --announce --token-file --unsafe-plain-ranks --launcher-timeout --keep-max --stage-cache"),
            new Section("Links to other relays", "--links --peer --link-patience --lanes --compress --tls"),
            new Section("Group", "--tunnel-group --loopback --group --member --names --judges --judges-port"),
            new Section("Ports through links", "--forward --via --unsafe-open-via --streams --stream-buffers --stream-tokens"),
            new Section("Console",
                    "--ops --ops-name --ops-users --ops-cert --ops-cert-key --ops-token-file --ops-proxy --ops-proxy-header --ops-proxy-operators --ops-proxy-user --private-console --unsafe-open-console"),
            new Section("Log and memory", "--log-limit --log-high-mark --on-log-full --unexpected-max --log-format --traces"),
            new Section("Threads", "--mode --loops --pipeline --transport --busy-poll"),
            new Section("Other", "")));

    /** @param names longest names of its options, with blanks between */
    record Section(String heading, String names) {
        boolean has(OptionSpec option) {
            return List.of(names.split(" ")).contains(option.longestName());
        }
    }

    /** Has the command's help use them. */
    public void install(CommandLine command) {
        command.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, this::render);
    }

    private String render(Help help) {
        return sections.stream().map(section -> render(help, section)).collect(Collectors.joining());
    }

    private String render(Help help, Section section) {
        List<OptionSpec> options = help.commandSpec().options().stream().filter(option -> !option.hidden() && of(option) == section).toList();
        String newLine = System.lineSeparator();
        return options.isEmpty() ? "" : newLine + section.heading() + ":" + newLine + help.optionListExcludingGroups(options);
    }

    /** The section of an option. */
    Section of(OptionSpec option) {
        return sections.stream().filter(section -> section.has(option)).findFirst().orElse(sections.getLast());
    }
}
