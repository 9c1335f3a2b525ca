package org.posthouse.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.posthouse.mpj.data.Base;

/** docs/wire.md against the code: types, senders, lengths, layouts, limits, datatypes and reasons. */
final class WireDocumentTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "wire.md");

    private final String document;

    WireDocumentTest() throws IOException {
        document = Files.readString(DOCUMENT);
    }

    private String section(String heading) {
        int start = document.indexOf("\n" + heading + "\n");
        assertThat(start).as("'%s' in %s", heading, DOCUMENT).isNotNegative();
        Matcher next = Pattern.compile("\n##").matcher(document);
        return document.substring(start, next.find(start + heading.length()) ? next.start() : document.length());
    }

    private String section(FrameType type) {
        return section("### " + type + " (id " + type.id() + ")");
    }

    private static List<String[]> rows(String section) {
        List<String[]> rows = new ArrayList<>();
        for (String line : section.split("\n")) {
            if (line.startsWith("| ") && !line.startsWith("| offset") && !line.startsWith("| code")) {
                rows.add(line.substring(2, line.length() - 2).split(" \\| "));
            }
        }
        return rows;
    }

    @ParameterizedTest
    @EnumSource
    void documentStatesSendersAndLengthOfEachFrame(FrameType type) {
        List<String> senders = new ArrayList<>();
        String[] roles = {"rank", "launcher", "relay", "link", "agent"};
        for (int i = 0; i < roles.length; i++) {
            if (type.sentBy(1 << i)) {
                senders.add(roles[i]);
            }
        }
        String bytes = type.bytesMin() == type.bytesMax() ? "" + type.bytesMin() : type.bytesMin() + " to " + type.bytesMax();
        assertThat(section(type)).contains("Sent by: " + String.join(", ", senders) + ". Bytes: " + bytes + ".");
    }

    @Test
    void namesNoTypeThatDoesNotExist() {
        Map<String, Byte> named = new TreeMap<>();
        Matcher heading = Pattern.compile("\n### (\\w+) \\(id (\\d+)\\)\n").matcher(document);
        while (heading.find()) {
            named.put(heading.group(1), Byte.valueOf(heading.group(2)));
        }
        Map<String, Byte> types = new TreeMap<>();
        for (FrameType type : FrameType.values()) {
            types.put(type.name(), type.id());
        }
        assertThat(named).isEqualTo(types);
    }

    @ParameterizedTest
    @EnumSource
    void laysFieldsOutWithoutHoles(FrameType type) {
        int at = Wire.HEADER_BYTES;
        boolean open = false;
        for (String[] row : rows(section(type))) {
            assertThat(row).as("%s", (Object) row).hasSize(5);
            assertThat(row[4]).isIn("1", "2");
            if (open) {
                assertThat(row[0]).isIn("then");
                continue;
            }
            assertThat(Integer.parseInt(row[0])).as(row[3]).isEqualTo(at);
            open = !row[1].matches("\\d+");
            at += open ? 0 : Integer.parseInt(row[1]);
        }
        boolean layoutOfItsOwn = at > Wire.HEADER_BYTES;
        if (layoutOfItsOwn && type.bytesMin() == type.bytesMax()) {
            assertThat(at).isEqualTo(type.bytesMin());
        }
    }

    @Test
    void namesTheLimits() {
        Map<String, String> limits = new TreeMap<>();
        rows(section("## Limits")).stream().skip(1).forEach(row -> limits.put(row[0], row[1]));
        assertThat(limits)
                .containsEntry("FRAME_BYTES_MAX", "" + Wire.FRAME_BYTES_MAX)
                .containsEntry("PAYLOAD_BYTES_MAX", "" + Wire.PAYLOAD_BYTES_MAX)
                .containsEntry("CHUNK_BYTES_MAX", "" + Wire.CHUNK_BYTES_MAX)
                .containsEntry("MESSAGE_BYTES_MAX", "" + Wire.MESSAGE_BYTES_MAX)
                .containsEntry("EAGER_BYTES_MAX", "" + Wire.EAGER_BYTES_MAX)
                .containsEntry("MESSAGE_COST_BYTES", "" + Wire.MESSAGE_COST_BYTES)
                .containsEntry("RANKS_MAX", "" + JobOpen.RANKS_MAX)
                .containsEntry("ANY", "" + Wire.ANY)
                .containsEntry("MAGIC", "0x" + Integer.toHexString(Wire.MAGIC))
                .containsEntry("VERSION", "" + Wire.VERSION)
                .containsEntry("PUSHED_COST_MAX", "" + Wire.PUSHED_COST_MAX)
                .hasSize(11);
    }

    @Test
    void listsOperationsAndStatusesOfNames() {
        String names = section("## Names");
        for (NameAsk.Operation operation : NameAsk.Operation.values()) {
            assertThat(names).containsPattern("\\| " + operation.code() + " \\| " + operation + " \\|");
        }
        for (NameAnswer.Status status : NameAnswer.Status.values()) {
            assertThat(names).containsPattern("\\| " + status.ordinal() + " \\| " + status + "\\b");
        }
        assertThat(section(FrameType.NAME_ASK)).contains(String.format("%,d bytes of the body", NamePage.BYTES_MAX))
                .contains(String.format("at\nmost %,d bytes", NameAsk.BYTES_MAX));
        assertThat(section(FrameType.NAME_ANSWER)).contains(String.format("at most %,d bytes", NameAnswer.BYTES_MAX));
    }

    @Test
    void listsEveryMessageOfAgents() {
        Map<String, String> listed = new TreeMap<>();
        rows(section("## Messages of agents")).stream().skip(1).forEach(row -> listed.put(row[1], row[0]));
        Map<String, String> expected = new TreeMap<>();
        for (AgentMessage.Kind kind : AgentMessage.Kind.values()) {
            expected.put(kind.name(), "" + kind.code());
        }
        assertThat(listed).isEqualTo(expected);
    }

    @Test
    void listsEveryReasonAsTheCodeDoes() {
        List<String> expected = new ArrayList<>();
        for (CloseReason closeReason : CloseReason.values()) {
            expected.add(closeReason.code() + " | " + closeReason + " | " + closeReason.meaning() + " | " + closeReason.advice());
        }
        assertThat(rows(section("## Reasons"))).extracting(row -> String.join(" | ", row)).isEqualTo(expected);
    }

    @Test
    void listsEveryDatatypeAsTheLibraryNumbersThem() {
        List<String> expected = new ArrayList<>();
        for (Base base : Base.values()) {
            expected.add(base.code() + " | " + base + " | " + (base.bytes() == 0 ? "serialized" : "" + base.bytes()));
        }
        assertThat(rows(section("## Payload"))).extracting(row -> String.join(" | ", row)).isEqualTo(expected);
    }
}
