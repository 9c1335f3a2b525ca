package org.posthouse.lab;

import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/**
 * The file for a bench's figures. It is checked first, so that no bench measures for an hour and cannot write its
 * result.
 */
final class ReportFiles {
    private ReportFiles() {}

    /** @param file null if the option was not given @throws ParameterException if no such file can be written */
    static void require(CommandSpec command, String option, Path file) {
        if (file == null) {
            return;
        }
        Path folder = file.toAbsolutePath().getParent();
        String why = "";
        if (Files.isDirectory(file)) {
            why = "it is a folder, expected a file";
        } else if (!Files.isDirectory(folder)) {
            why = folder + " is no folder, expected one that is there";
        } else if (!Files.isWritable(folder) || Files.exists(file) && !Files.isWritable(file)) {
            why = "this user may not write there";
        }
        if (!why.isEmpty()) {
            throw new ParameterException(command.commandLine(), option + " " + file + " cannot be written: " + why);
        }
    }
}
