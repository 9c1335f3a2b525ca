package org.posthouse.cli.names;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.cli.terminal.TextTable;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.place.RelayClient;
import org.posthouse.wire.NameAnswer;
import org.posthouse.wire.NameAsk;
import org.posthouse.wire.NamedRecord;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code posthouse names ls}. */
@Command(
        name = "ls",
        description = "Lists the bound names at and below a prefix, or all.",
        mixinStandardHelpOptions = true,
        footer = {"", "Examples:", "  posthouse names ls --relay n1:7411", "  posthouse names ls --relay n1:7411 mpi --json"})
final class NamesLsCommand implements Callable<Integer> {
    private static final int PAGE = 1_000;

    @Mixin
    private NamesRelay relay;

    @Parameters(index = "0", arity = "0..1", paramLabel = "PREFIX", defaultValue = "", description = "The prefix, as a/b (default: all names).")
    private String prefix;

    @Override
    public Integer call() throws CommandFailure {
        List<NamedRecord> found = new ArrayList<>();
        try (RelayClient client = relay.connect()) {
            String after = "";
            NameAnswer page;
            do {
                page = relay.ask(client, new NameAsk(NameAsk.Operation.LIST, prefix, 0, 0, PAGE, after, Collections.emptySortedMap()));
                found.addAll(page.found());
                after = found.isEmpty() ? "" : found.getLast().name();
            } while (page.isMore() && !page.found().isEmpty());
        } catch (JobFailure e) {
            throw new CommandFailure(e.getMessage(), e);
        }
        System.out.print(relay.isJson() ? json(found) + System.lineSeparator() : table(found));
        return 0;
    }

    private static String json(List<NamedRecord> found) {
        ArrayNode names = JsonNodeFactory.instance.arrayNode();
        found.forEach(each -> names.add(NameText.json(each)));
        return names.toPrettyString();
    }

    private static String table(List<NamedRecord> found) {
        List<List<String>> rows = new ArrayList<>(List.of(List.of("NAME", "VERSION", "EPOCH", "RECORD")));
        found.forEach(each -> rows.add(List.of(
                each.name(), Long.toString(each.version()), each.epoch() == 0 ? "-" : Long.toString(each.epoch()), NameText.fields(each))));
        return TextTable.of(rows, column -> column == 1 || column == 2);
    }
}
