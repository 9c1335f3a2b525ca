package org.posthouse.cli;

import java.util.concurrent.Callable;
import org.posthouse.cli.terminal.FishCompletion;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code posthouse completion}: a script that has a shell complete this command's words. */
@Command(
        name = "completion",
        description = "Prints a script with which a shell completes commands and options.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  posthouse completion bash",
            "  posthouse completion zsh",
            "  posthouse completion fish",
            "",
            "Bash and zsh source what is printed, in ~/.bashrc or ~/.zshrc; fish has it in",
            "~/.config/fish/completions/posthouse.fish."
        })
final class CompletionCommand implements Callable<Integer> {
    /** The shells. */
    enum Shell {
        bash, zsh, fish
    }

    @Parameters(paramLabel = "SHELL", description = "${COMPLETION-CANDIDATES}.")
    private Shell shell;

    @Spec
    private CommandSpec command;

    @Override
    public Integer call() {
        CommandLine root = command.root().commandLine();
        System.out.print(shell == Shell.fish ? FishCompletion.script(root) : AutoComplete.bash(root.getCommandName(), root)); // Zsh runs bash's.
        return 0;
    }
}
