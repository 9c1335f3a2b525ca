package org.posthouse.cli.doctor;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.List;
import java.util.Locale;
import org.posthouse.cli.terminal.OneLine;

/** All that was found, for people or for programs. */
record DoctorReport(List<Finding> findings) {
    DoctorReport {
        findings = List.copyOf(findings);
    }

    boolean isGood() {
        return findings.stream().allMatch(finding -> finding.level() == Finding.Level.OK);
    }

    /** A line for each finding, and one for what is to be done about it. */
    String text() {
        StringBuilder text = new StringBuilder();
        for (Finding finding : findings) {
            text.append(String.format(Locale.ROOT, "%-4s  %-12s %s%n", finding.level(), finding.subject(), OneLine.of(finding.text())));
            if (!finding.remedy().isEmpty()) {
                text.append(String.format(Locale.ROOT, "%-19sdo: %s%n", "", finding.remedy()));
            }
        }
        return text.toString();
    }

    String json() {
        ArrayNode list = JsonNodeFactory.instance.arrayNode();
        findings.forEach(finding -> list.addObject()
                .put("level", finding.level().name())
                .put("subject", finding.subject())
                .put("text", finding.text())
                .put("remedy", finding.remedy()));
        return list.toString();
    }
}
