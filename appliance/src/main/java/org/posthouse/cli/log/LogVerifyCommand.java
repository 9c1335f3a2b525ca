package org.posthouse.cli.log;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.logstore.LogDefect;
import org.posthouse.logstore.LogScan;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code posthouse log verify}: whether a log is what was written. */
@Command(
        name = "verify",
        description = "Reads a log from end to end and checks every byte of it by its checksum, every record by the one before.",
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nStatus:%n",
        exitCodeList = {
            "0:the log is sound",
            "1:it cannot be read",
            "3:its last bytes were never published as a record; the relay that opens it cuts them off",
            "4:it is damaged, in the place that is named: no relay will open it, unless nothing but its oldest files are gone: then the jobs that need them cannot go on"
        },
        footer = {"", "Examples:", "  posthouse log verify --data data-a"})
final class LogVerifyCommand implements Callable<Integer> {
    @Mixin
    private LogFolder folder;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() throws CommandFailure {
        LogScan scan = LogFolder.scan(folder.find(), entry -> {});
        if (json) {
            System.out.println(json(scan));
        } else {
            System.out.printf(
                    Locale.ROOT, "%s: %,d whole records, %,d bytes in %d files, positions %d-%d: %s%n", scan.folder(),
                    scan.records(), scan.bytes(), scan.files(), scan.firstPosition(), scan.lastPosition(),
                    verdict(scan));
        }
        return LogFolder.report(scan);
    }

    private static String verdict(LogScan scan) {
        String behind = scan.defect().map(defect -> "then " + defect.kind() + (scan.gone().isEmpty() ? "" : ", ")).orElse("");
        String before = scan.gone().map(gone -> gone.kind() + " before them").orElse("");
        return scan.defects().isEmpty() ? "sound" : behind + before;
    }

    private static String json(LogScan scan) {
        ObjectNode node = new ObjectMapper().createObjectNode()
                .put("log", scan.folder().toString())
                .put("sound", scan.defects().isEmpty())
                .put("records", scan.records())
                .put("bytes", scan.bytes())
                .put("files", scan.files())
                .put("first", scan.firstPosition())
                .put("last", scan.lastPosition())
                .put("epoch", scan.epoch());
        scan.defect().ifPresent(defect -> put(node.putObject("defect"), defect));
        scan.gone().ifPresent(gone -> put(node.putObject("gone"), gone));
        return node.toString();
    }

    private static void put(ObjectNode node, LogDefect defect) {
        node.put("kind", defect.kind().name())
                .put("file", defect.file().toString())
                .put("offset", defect.offset())
                .put("position", defect.position())
                .put("atTail", defect.atTail())
                .put("lost", defect.lost())
                .put("detail", defect.detail());
    }
}
