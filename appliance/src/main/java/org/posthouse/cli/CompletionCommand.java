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
            "  posthouse completion bash > ~/.posthouse.bash",
            "  posthouse completion zsh > ~/.posthouse.zsh",
            "  posthouse completion fish > ~/.config/fish/completions/posthouse.fish",
            "",
            "Bash and zsh: source the file in ~/.bashrc or ~/.zshrc."
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
